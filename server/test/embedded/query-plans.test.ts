import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import SqliteDatabase from 'better-sqlite3';
import { type CompiledQuery, Kysely } from 'kysely';
import { readBacklog, readTokenBacklog } from '../../src/store/outbox/backlog.ts';
import { devicesOfChannels } from '../../src/store/phones/device-audience.ts';
import {
	activitiesById,
	outlivedActivities,
	runningCounts,
	runningOn,
} from '../../src/store/activities/activities.ts';
import { devicesShowing, queueForTokens } from '../../src/store/activities/activity-devices.ts';
import {
	deleteStreams,
	detachActivities,
	streamsByKey,
} from '../../src/store/activities/streams.ts';
import { changeHistoryEntries } from '../../src/store/history/history.ts';
import { deleteMessages } from '../../src/store/history/retention.ts';
import { migrate } from '../../src/store/engine/migrate.ts';
import { claimDue, nextDueAt } from '../../src/store/outbox/outbox-claims.ts';
import { lockLanes } from '../../src/store/outbox/outbox.ts';
import {
	deliveryHistory,
	inboxAfter,
	newestDeliveryId,
	recentPushes,
} from '../../src/store/phones/inbox.ts';
import { endRepeatsOfKey } from '../../src/store/outbox/repeats.ts';
import { mutesOfChannels } from '../../src/store/phones/muted-channels.ts';
import type { Db, Tables } from '../../src/store/schema.ts';
import { SqliteWithStablePlans } from '../../src/store/engine/sqlite/stable-plans.ts';
import { metricsWithKeys, storeMetricValues } from '../../src/store/metrics/metric-values.ts';
import { dueSummaries, heldPushes } from '../../src/store/phones/quiet-summaries.ts';
import { dismissOnOtherPhones } from '../../src/store/phones/shown-pushes.ts';
import { claimWidgetReloads } from '../../src/store/phones/widget-reloads.ts';

/** Frequent queries must not scan data kept for months. */
describe('how SQLite looks for things', () => {
	let connection: SqliteDatabase.Database;
	let db: Db;
	let asked: CompiledQuery[];
	beforeEach(async () => {
		connection = new SqliteDatabase(':memory:');
		asked = [];
		db = new Kysely<Tables>({
			dialect: new SqliteWithStablePlans({ database: connection }),
			log: ({ query }) => void asked.push(query),
		});
		await migrate(db);
		asked.length = 0;
	});
	afterEach(() => db.destroy());

	/** The steps by which the recorded queries reach a table's rows. */
	function steps(table: string): string[] {
		const reached = new RegExp(`^(SEARCH|SCAN) ${table}\\b`);
		return asked.flatMap(({ sql, parameters }) =>
			connection
				.prepare<unknown[], { detail: string }>(`explain query plan ${sql}`)
				.all(...parameters)
				.map(({ detail }) => detail)
				.filter((detail) => reached.test(detail)),
		);
	}

	it.each<[string, () => Promise<unknown>]>([
		['claiming what is due', () => claimDue(db, { now: 1, leaseMs: 1, limit: 10 })],
		['asking what is due next', () => nextDueAt(db)],
		['counting what is pending', () => readBacklog(db)],
	])('uses the index of what is pending for %s', async (_what, ask) => {
		await ask();
		const found = steps('deliveries');
		expect(found.length).toBeGreaterThan(0);
		// By its own id it is found at once.
		for (const step of found) expect(step).toMatch(/deliveries_due|INTEGER PRIMARY KEY/);
		for (const step of steps('earlier')) expect(step).toContain('deliveries_in_lane');
	});

	it('counts the updates that wait for a token by the index of queued ones', async () => {
		await readTokenBacklog(db, 1);
		expect(steps('activity_devices')).toEqual([expect.stringContaining('activity_devices_queued')]);
		expect(steps('messages')).toEqual([expect.stringContaining('INTEGER PRIMARY KEY')]);
	});

	it('looks for what a newer message replaces in its lane alone', async () => {
		await lockLanes(db, [{ device_id: 'dev', lane: 'act' }]);
		expect(steps('deliveries')).toEqual([expect.stringContaining('deliveries_in_lane')]);
	});

	it('finds the phones of channels from the channels', async () => {
		await devicesOfChannels(db, ['a', 'b']);
		for (const table of ['channel_devices', 'channel_users', 'devices', 'muted_channels']) {
			const found = steps(table);
			expect(found.length).toBeGreaterThan(0);
			for (const step of found) expect(step).toMatch(/^SEARCH .*(channel_id|user_id|\(id)=/);
		}
	});

	it.each<[string, string, () => Promise<unknown>]>([
		['streams', 'streams', () => streamsByKey(db, [{ account_id: 'acc', stream_key: 'key' }])],
		[
			'streams to delete',
			'streams',
			() => deleteStreams(db, [{ account_id: 'acc', stream_key: 'key' }]),
		],
		['streams to detach', 'streams', () => detachActivities(db, ['act'])],
		['activities', 'activities', () => activitiesById(db, ['act'])],
		['the phones that show them', 'activity_devices', () => devicesShowing(db, ['act'])],
		['those that run', 'activities', () => runningCounts(db, ['acc'], 1)],
		['those that run on phones', 'activity_devices', () => runningOn(db, ['dev'])],
		['mutes', 'channels', () => mutesOfChannels(db, [{ account_id: 'acc', slug: 'ops' }])],
		[
			'what waits for a token',
			'activity_devices',
			() => queueForTokens(db, [{ activity_id: 'act', device_id: 'dev', queued_message_id: 1 }]),
		],
		[
			'entries to change',
			'history',
			() => changeHistoryEntries(db, new Map([['his', { title: 'New', tags: [] }]])),
		],
	])("finds a set's %s by their keys", async (_what, table, run) => {
		await run();
		const found = steps(table);
		expect(found.length).toBeGreaterThan(0);
		for (const step of found) expect(step).toMatch(/^SEARCH/);
	});

	it('finds running activities that are too old without looking at those that have ended', async () => {
		await outlivedActivities(db, 1, 10);
		expect(steps('activities')).toEqual([expect.stringContaining('activities_outlived')]);
	});

	it('finds what a lock screen shows without looking at what it does not', async () => {
		await recentPushes(db, 'dev', 50);
		expect(steps('deliveries')).toEqual([expect.stringContaining('deliveries_shown')]);
	});

	it('finds what waits with a message that is deleted', async () => {
		await deleteMessages(db, ['h'], 10);
		expect(steps('activity_devices')).toEqual([expect.stringContaining('activity_devices_queued')]);
	});

	it('finds the metrics of a set and their oldest values by their keys', async () => {
		connection.pragma('foreign_keys = OFF');
		await metricsWithKeys(db, [{ account_id: 'acc', key: 'cpu' }]);
		await storeMetricValues(db, [
			{ account_id: 'acc', metric_key: 'cpu', value_json: '1', measured_at: 1 },
		]);
		expect(steps('metrics')).toEqual([
			expect.stringMatching(/^SEARCH .*account_id=\? AND key=\?/),
			expect.stringMatching(/^SEARCH .*account_id=\? AND key=\?/),
		]);
		expect(steps('metric_values')).toEqual([expect.stringContaining('INTEGER PRIMARY KEY')]);
		for (const table of ['oldest', 'newer'])
			expect(steps(table)).toEqual([expect.stringContaining('metric_values_by_metric')]);
	});

	it('finds due summaries, and what was held back since, by their indexes', async () => {
		await dueSummaries(db, 1, 10);
		expect(steps('quiet_summaries')).toEqual([expect.stringContaining('quiet_summaries_due')]);
		asked.length = 0;
		await heldPushes(db, [{ device_id: 'dev', first_delivery_id: 1 }]);
		expect(steps('deliveries')).toEqual([expect.stringContaining('deliveries_shown')]);
	});

	it('looks for newer states of a phone’s history by their message, not among all of the phone', async () => {
		await deliveryHistory(db, 'dev', { limit: 20 });
		expect(steps('deliveries')).not.toEqual([]);
		for (const step of steps('deliveries')) expect(step).toMatch(/deliveries_(?:not_)?shown/);
		expect(steps('newer').length).toBeGreaterThan(0);
		for (const step of steps('newer'))
			expect(step).toMatch(/messages_by_history|INTEGER PRIMARY KEY/);
		expect(steps('later')).not.toEqual([]);
		for (const step of steps('later'))
			expect(step).toMatch(/deliveries_of_message \(message_id=\? AND device_id=\?/);
	});

	it('reads an inbox from the two indexes by device', async () => {
		await inboxAfter(db, { deviceId: 'dev', after: 0, limit: 100 });
		await newestDeliveryId(db, 'dev');
		expect(steps('deliveries')).toEqual(
			['shown', 'not_shown', 'shown', 'not_shown'].map((name) =>
				expect.stringMatching(
					new RegExp(`deliveries_${name} \\(device_id=\\? AND (?:id|rowid)[<>]\\?`),
				),
			),
		);
	});

	it('finds the pushes to dismiss on other phones from those on one', async () => {
		await dismissOnOtherPhones(db, { id: 'dev', user_id: 'usr' }, [1], 1);
		for (const table of ['deliveries', 'own', 'devices']) {
			const found = steps(table);
			expect(found.length).toBeGreaterThan(0);
			for (const step of found) expect(step).toMatch(/^SEARCH/);
		}
	});

	it('finds the repeats of a key among those of its account', async () => {
		await endRepeatsOfKey(db, 'acc', 'key', 1);
		for (const table of ['repeats', 'messages', 'history'])
			expect(steps(table)).toEqual([expect.stringMatching(/^SEARCH/)]);
	});

	it('uses the index of changed metrics to find the widgets to reload', async () => {
		await claimWidgetReloads(db, { now: 1, leaseMs: 1, limit: 10 });
		expect(steps('widget_reloads')).toEqual([expect.stringContaining('widget_reloads_due')]);
	});
});
