import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import SqliteDatabase from 'better-sqlite3';
import { Kysely, SqliteDialect } from 'kysely';
import { STATEMENTS } from '../../scripts/write-sql.ts';
import { runMigrations } from '../../src/store/engine/migrate.ts';
import type { Tables } from '../../src/store/schema.ts';
import { LATER } from '../support/hot-statements.ts';

/** Which index frequent statements use; that none scans what grows is checked wherever one runs (support/no-scans/). */
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

	it.each([
		['claiming what is due', 'claimDue'],
		['asking what is due next', 'nextDueAt'],
		['counting what is pending', 'measureBacklog'],
	])('uses the index of what is pending for %s', (_what, name) => {
		const found = steps('deliveries', name);
		expect(found.length).toBeGreaterThan(0);
		// By its own id it is found at once.
		for (const step of found) expect(step).toMatch(/deliveries_due|INTEGER PRIMARY KEY/);
		for (const step of steps('earlier', name)) expect(step).toContain('deliveries_in_lane');
	});

	it('finds deliveries whose outcome is recorded by their ids, and newer ones in their lanes', () => {
		const found = steps(
			'deliveries',
			'markStored',
			'markHandedOver',
			'recordFailures',
			'reschedule',
		);
		expect(found).toHaveLength(5);
		for (const step of found) expect(step).toContain('INTEGER PRIMARY KEY');
		expect(steps('newer', 'recordFailures')).toEqual([
			expect.stringContaining('deliveries_in_lane'),
		]);
	});

	it('counts the updates that wait for a token by the index of queued ones', () => {
		expect(steps('activity_devices', 'measureTokenBacklog')).toEqual([
			expect.stringContaining('activity_devices_queued'),
		]);
		expect(steps('messages', 'measureTokenBacklog')).toEqual([
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

	it('finds the phones of a person that got a question, and their channels, from the person', () => {
		expect([
			...steps('devices', 'receiversOfPeople'),
			...steps('deliveries', 'receiversOfPeople'),
		]).toEqual([
			expect.stringContaining('devices_by_user (user_id=?)'),
			expect.stringContaining('deliveries_of_message (message_id=? AND device_id=?)'),
		]);
		for (const table of ['channel_devices', 'channel_users', 'devices', 'channels']) {
			const found = steps(table, 'channelsReaching');
			expect(found.length).toBeGreaterThan(0);
			for (const step of found) expect(step).toMatch(/^SEARCH .*(device_id|user_id|\(id)=/);
		}
	});

	it('finds the answers kept for keys without looking at other entries', () => {
		expect(steps('history', 'findKeptResponses')).toEqual([
			expect.stringContaining('history_by_key (idempotency_key=?)'),
		]);
	});

	it.each(LATER.map(({ what }) => what))(
		'finds what is due by the index of its time, in its order, and takes it by its key: %s',
		(what) => {
			const [find, take] = ['find', 'take'].map((how) =>
				planOf(statements.find((one) => nameOf(one) === `${how}: ${what}`)!),
			);
			const alone = find!.filter((step) => !/ devices /.test(step));
			expect(alone.filter((step) => /SCAN|TEMP/.test(step))).toEqual([]);
			expect(alone[0]).toMatch(/^SEARCH \w+ USING INDEX \w+ \(\w+<\?\)$/);
			expect(take![0]).toMatch(/^SEARCH \w+ USING (.*INDEX \w+|INTEGER PRIMARY KEY) \(/);
			expect(take!.filter((step) => /^SCAN (?!jsonb_each)/.test(step))).toEqual([]);
		},
	);

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

	it('finds what was held back by its indexes', () => {
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
});
