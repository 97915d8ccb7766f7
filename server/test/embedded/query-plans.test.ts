import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import SqliteDatabase from 'better-sqlite3';
import { Kysely, SqliteDialect } from 'kysely';
import { STATEMENTS } from '../../scripts/write-sql.ts';
import { runMigrations } from '../../src/store/engine/migrate.ts';
import { type Tables, TABLES } from '../../src/store/schema.ts';

/** Frequent queries must not scan data kept for months. */
describe('how SQLite looks for things', () => {
	const statements = globSync(join(STATEMENTS, '*.sqlite.sql')).flatMap((file) =>
		readFileSync(file, 'utf8').split('\n\n'),
	);
	let connection: SqliteDatabase.Database;
	beforeAll(async () => {
		connection = new SqliteDatabase(':memory:');
		await runMigrations(
			new Kysely<Tables>({ dialect: new SqliteDialect({ database: connection }) }),
		);
	});
	afterAll(() => void connection.close());

	function planOf(statement: string): string[] {
		return connection
			.prepare<unknown[], { detail: string }>(`explain query plan ${statement}`)
			.all(...Array<null>(statement.split('+?').length - 1).fill(null))
			.map(({ detail }) => detail);
	}

	const nameOf = (statement: string) => /^-- (.*)/.exec(statement)?.[1] ?? '';

	/** The steps by which the statements of functions reach a table's rows. */
	function steps(table: string, ...names: string[]): string[] {
		const reached = new RegExp(`^(SEARCH|SCAN) ${table}\\b`);
		return names
			.flatMap((name) =>
				statements.filter((statement) => nameOf(statement) === name).flatMap(planOf),
			)
			.filter((step) => reached.test(step));
	}

	it('reads no table as a whole, but for the few counts of requests', () => {
		const whole = new RegExp(`^SCAN (${Object.keys(TABLES).join('|')})$`);
		const found = statements.filter((statement) =>
			planOf(statement).some((step) => whole.test(step)),
		);
		expect(found.map(nameOf).sort()).toEqual(['addRequestCounts']);
	});

	it.each([
		['claiming what is due', 'claimDue'],
		['asking what is due next', 'nextDueAt'],
		['counting what is pending', 'readBacklog'],
	])('uses the index of what is pending for %s', (_what, name) => {
		const found = steps('deliveries', name);
		expect(found.length).toBeGreaterThan(0);
		// By its own id it is found at once.
		for (const step of found) expect(step).toMatch(/deliveries_due|INTEGER PRIMARY KEY/);
		for (const step of steps('earlier', name)) expect(step).toContain('deliveries_in_lane');
	});

	it('finds deliveries whose outcome is recorded by their ids, and newer ones in their lanes', () => {
		const found = steps('deliveries', 'markStored', 'markHandedOver', 'recordFailures', 'release');
		expect(found).toHaveLength(5);
		for (const step of found) expect(step).toContain('INTEGER PRIMARY KEY');
		expect(steps('newer', 'recordFailures')).toEqual([
			expect.stringContaining('deliveries_in_lane'),
		]);
	});

	it('counts the updates that wait for a token by the index of queued ones', () => {
		expect(steps('activity_devices', 'readTokenBacklog')).toEqual([
			expect.stringContaining('activity_devices_queued'),
		]);
		expect(steps('messages', 'readTokenBacklog')).toEqual([
			expect.stringContaining('INTEGER PRIMARY KEY'),
		]);
	});

	it('looks for what a newer message replaces in its lane alone', () => {
		expect(steps('deliveries', 'lockLanes')).toEqual([
			expect.stringContaining('deliveries_in_lane'),
		]);
	});

	it('finds the phones of channels from the channels', () => {
		for (const table of ['channel_devices', 'channel_users', 'devices', 'muted_channels']) {
			const found = steps(table, 'devicesOfChannels');
			expect(found.length).toBeGreaterThan(0);
			for (const step of found) expect(step).toMatch(/^SEARCH .*(channel_id|user_id|\(id)=/);
		}
	});

	it.each([
		['streams', 'streams', 'streamsByKey'],
		['streams to delete', 'streams', 'deleteStreams'],
		['streams to detach', 'streams', 'detachActivities'],
		['activities', 'activities', 'activitiesById'],
		['the phones that show them', 'activity_devices', 'devicesShowing'],
		['those that run', 'activities', 'runningCounts'],
		['those that run on phones', 'activity_devices', 'runningOn'],
		['single phones', 'devices', 'devicesWithIds'],
		['mutes', 'channels', 'mutesOfChannels'],
		['what waits for a token', 'activity_devices', 'queueForTokens'],
		['entries to change', 'history', 'changeHistoryEntries'],
	])("finds a set's %s by their keys", (_what, table, name) => {
		const found = steps(table, name);
		expect(found.length).toBeGreaterThan(0);
		for (const step of found) expect(step).toMatch(/^SEARCH/);
	});

	it('finds the answers kept for keys without looking at other entries', () => {
		expect(steps('history', 'keptAnswers')).toEqual([
			expect.stringContaining('history_by_key (idempotency_key=?)'),
		]);
	});

	it('finds running activities that are too old without looking at those that have ended', () => {
		expect(steps('activities', 'outlivedActivities')).toEqual([
			expect.stringContaining('activities_outlived'),
		]);
	});

	it('finds streams to forget without looking at those in use', () => {
		expect(steps('streams', 'deleteQuietStreams')).toContainEqual(
			expect.stringContaining('streams_quiet (updated_at<?)'),
		);
	});

	it('finds what a lock screen shows without looking at what it does not', () => {
		expect(steps('deliveries', 'recentPushes')).toEqual([
			expect.stringContaining('deliveries_shown'),
		]);
	});

	it('finds what waits with a message that is deleted', () => {
		expect(steps('activity_devices', 'deleteHistory')).toContainEqual(
			expect.stringContaining('activity_devices_queued'),
		);
		for (const step of steps('activity_devices', 'deleteHistory')) expect(step).toMatch(/^SEARCH/);
	});

	it('finds the metrics of a set and their oldest values by their keys', () => {
		expect(steps('metrics', 'metricsWithKeys', 'storeMetricValues')).toEqual([
			expect.stringMatching(/^SEARCH .*account_id=\? AND key=\?/),
			expect.stringMatching(/^SEARCH .*account_id=\? AND key=\?/),
		]);
		expect(steps('metric_values', 'metricsWithKeys', 'storeMetricValues')).toEqual([
			expect.stringContaining('INTEGER PRIMARY KEY'),
		]);
		for (const table of ['oldest', 'newer'])
			expect(steps(table, 'metricsWithKeys', 'storeMetricValues')).toEqual([
				expect.stringContaining('metric_values_by_metric'),
			]);
	});

	it('finds due summaries, and what was held back since, by their indexes', () => {
		expect(steps('quiet_summaries', 'dueSummaries')).toEqual([
			expect.stringContaining('quiet_summaries_due'),
		]);
		expect(steps('deliveries', 'heldPushes')).toEqual([
			expect.stringContaining('deliveries_shown'),
			// Questions have a lane.
			expect.stringContaining('deliveries_not_shown'),
		]);
	});

	it('looks for newer states of a phone’s history by their message, not among all of the phone', () => {
		expect(steps('deliveries', 'deliveryHistory')).not.toEqual([]);
		for (const step of steps('deliveries', 'deliveryHistory'))
			expect(step).toMatch(/deliveries_(?:not_)?shown/);
		expect(steps('newer', 'deliveryHistory').length).toBeGreaterThan(0);
		for (const step of steps('newer', 'deliveryHistory'))
			expect(step).toMatch(/messages_by_history|INTEGER PRIMARY KEY/);
		expect(steps('later', 'deliveryHistory')).not.toEqual([]);
		for (const step of steps('later', 'deliveryHistory'))
			expect(step).toMatch(/deliveries_of_message \(message_id=\? AND device_id=\?/);
	});

	it('reads an inbox from the two indexes by device', () => {
		expect(steps('deliveries', 'inboxAfter', 'newestDeliveryId')).toEqual(
			['shown', 'not_shown', 'shown', 'not_shown'].map((name) =>
				expect.stringMatching(
					new RegExp(`deliveries_${name} \\(device_id=\\? AND (?:id|rowid)[<>]\\?`),
				),
			),
		);
	});

	it('finds the pushes to dismiss on other phones from those on one', () => {
		for (const table of ['deliveries', 'own', 'devices']) {
			const found = steps(table, 'dismissOnOtherPhones');
			expect(found.length).toBeGreaterThan(0);
			for (const step of found) expect(step).toMatch(/^SEARCH/);
		}
	});

	it('finds the repeats of a key among those of its account', () => {
		for (const table of ['repeats', 'messages', 'history'])
			expect(steps(table, 'endRepeatsOfKey')).toEqual([expect.stringMatching(/^SEARCH/)]);
	});

	it('uses the index of changed metrics to find the widgets to reload', () => {
		expect(steps('widget_reloads', 'claimWidgetReloads')).toEqual([
			expect.stringContaining('widget_reloads_due'),
			// To lease them.
			expect.stringContaining('(device_id=?)'),
		]);
	});
});
