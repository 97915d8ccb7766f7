import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import type { Gateway } from '../../src/delivery/gateway.ts';
import { DAY_MS } from '../../src/durations.ts';
import { deleteOldHistory } from '../../src/service/upkeep/retention.ts';
import { pauseStream } from '../../src/service/streams/requests.ts';
import { insertActivityDevices } from '../../src/store/activities/activity-devices.ts';
import { insertUser } from '../../src/store/people/users.ts';
import type { Tables } from '../../src/store/schema.ts';
import { outcomesRecorded } from '../support/gateways.ts';
import { startTestServer, type TestServer } from '../support/server.ts';

const KEPT_MS = 30 * DAY_MS;

describe('history retention', () => {
	let server: TestServer;
	let reach: 'inbox' | 'retry';
	const gateway = (inbox: Gateway): Gateway => ({
		...inbox,
		deliver: (delivery) =>
			reach === 'inbox'
				? inbox.deliver(delivery)
				: Promise.resolve({ kind: 'retry', reason: 'the gateway is away' }),
	});

	beforeEach(async () => {
		reach = 'inbox';
		server = await startTestServer({
			gateway,
			settings: { BECKON_RATE_NOTIFICATIONS: '100000', BECKON_RATE_PER_ADDRESS: '100000' },
		});
	});
	afterEach(() => server.close());

	const push = (title: string, fields: object = {}) =>
		server.call('POST', '/push-notification', { title, ...fields });
	const rows = async (table: keyof Tables) => {
		const { count } = await server.context.database.read
			.selectFrom(table)
			.select(({ fn }) => fn.countAll().as('count'))
			.executeTakeFirstOrThrow();
		return Number(count);
	};
	const titles = async () => {
		const entries = await server.context.database.read
			.selectFrom('history')
			.select('title')
			.orderBy('created_at')
			.execute();
		return entries.map(({ title }) => title);
	};
	const forget = async () => {
		await outcomesRecorded(server);
		return deleteOldHistory(server.context, KEPT_MS);
	};

	it('deletes what is older than it is kept, with all that belongs to it, and nothing else', async () => {
		await push('Old', { tags: ['ops'] });
		server.clock.advance(KEPT_MS / 1_000 / 2);
		await push('Newer', { tags: ['ops'] });
		server.clock.advance(KEPT_MS / 1_000 / 2 + 1);

		expect(await forget()).toBe(1);
		expect(await titles()).toEqual(['Newer']);
		for (const table of ['history_tags', 'messages', 'deliveries'] as const)
			expect([table, await rows(table)]).toEqual([table, 1]);
		const { notifications } = await server.phone.snapshot();
		expect(notifications).toEqual([
			expect.objectContaining({ push: expect.objectContaining({ title: 'Newer' }) }),
		]);
	});

	it('keeps what has just reached its age, to the millisecond', async () => {
		await push('On the edge');
		server.clock.advance(KEPT_MS / 1_000);
		expect(await forget()).toBe(0);
		server.clock.now += 1;
		expect(await forget()).toBe(1);
	});

	it('keeps a Live Activity until its end is as old', async () => {
		const content = { title: 'Backup', type: 'progress', percentage: 10 };
		const started = await server.call('PUT', '/live-activity/stream/backup', {
			content_state: content,
		});
		server.clock.advance(KEPT_MS / 1_000 + 1);
		expect(await forget()).toBe(0);

		await server.call('DELETE', '/live-activity/stream/backup');
		expect(await forget()).toBe(0);
		server.clock.advance(KEPT_MS / 1_000 + 1);
		expect(await forget()).toBe(1);
		expect(await rows('activities')).toBe(0);

		const again = await server.call('PUT', '/live-activity/stream/backup', {
			content_state: content,
		});
		expect(again.status).toBe(200);
		expect(again.body.activity_id).not.toBe(started.body.activity_id);
	});

	it('keeps what still waits for a delivery', async () => {
		reach = 'retry';
		await push('Waits');
		server.clock.advance(KEPT_MS / 1_000 + 1);
		expect(await forget()).toBe(0);
		expect(await titles()).toEqual(['Waits']);
	});

	it('deletes much in small writes, so that a request has its turn in between', async () => {
		for (let count = 0; count < 250; count += 1) await push(`Push ${count}`);
		server.clock.advance(KEPT_MS / 1_000 + 1);
		let isDone = false;
		const forgetting = forget().finally(() => (isDone = true));
		const during = await push('In between');
		expect(during.status).toBe(200);
		expect(isDone).toBe(false);
		expect(await forgetting).toBe(250);
		expect(await titles()).toEqual(['In between']);
	});

	it('deletes all that an entry has in writes of at most 250 rows of each table', async () => {
		const { body } = await server.call('POST', '/live-activity/start', {
			content_state: { title: 'Backup', type: 'progress', percentage: 10 },
		});
		const { database, now } = server.context;
		const MANY = 1_200;
		await database.write(server.account.id, async (db) => {
			const devices = Array.from({ length: MANY }, (_, n) => ({
				id: `dev_${n}`,
				account_id: server.account.id,
				user_id: 'usr_many',
				name: `Phone ${n}`,
				platform: 'web' as const,
				token_hash: `hash ${n}`,
				status: 'active' as const,
				paired_at: now(),
				last_seen_at: now(),
			}));
			await insertUser(db, {
				id: 'usr_many',
				account_id: server.account.id,
				name: 'Many',
				created_at: now(),
			});
			await db.insertInto('devices').values(devices).execute();
			await insertActivityDevices(
				db,
				devices.map(({ id }) => ({ activity_id: body.activity_id, device_id: id })),
			);
			const tap = { history_id: body.activity_id, user_name: 'Many', button: 'Go' };
			await db
				.insertInto('taps')
				.values(
					devices.map(({ id, name }) => ({
						...tap,
						id,
						device_id: id,
						device_name: name,
						created_at: now(),
					})),
				)
				.execute();
		});
		await server.call('POST', '/live-activity/end', {
			activity_id: body.activity_id,
			content_state: {},
		});
		server.clock.advance(KEPT_MS / 1_000 + 1);
		await outcomesRecorded(server);

		const left = async () =>
			(await rows('activity_devices')) + (await rows('taps')) + (await rows('deliveries'));
		const steps = [await left()];
		const write = database.write.bind(database);
		jest.spyOn(database, 'write').mockImplementation(async (account, job) => {
			const result = await write(account, job);
			steps.push(await left());
			return result;
		});
		expect(await deleteOldHistory(server.context, KEPT_MS)).toBe(1);
		expect(steps[0]).toBeGreaterThanOrEqual(3 * MANY);
		expect(steps.at(-1)).toBe(0);
		for (const [index, step] of steps.slice(1).entries())
			expect((steps[index] ?? 0) - step).toBeLessThanOrEqual(3 * 250);
	});

	it('forgets a stream that has shown nothing for as long, unless it is paused', async () => {
		const content = { title: 'Build', type: 'progress', percentage: 10 };
		const put = (key: string) =>
			server.call('PUT', `/live-activity/stream/${key}`, { content_state: content });
		const end = async (key: string) => {
			const { body } = await put(key);
			await server.call('POST', '/live-activity/end', {
				activity_id: body.activity_id,
				content_state: {},
			});
		};
		const keys = async () => {
			const found = await server.context.database.read
				.selectFrom('streams')
				.select('stream_key')
				.orderBy('stream_key')
				.execute();
			return found.map(({ stream_key: key }) => key);
		};
		await end('build-1');
		await put('runs');
		await put('waits');
		await pauseStream(server.context, server.account.id, 'waits');
		server.clock.advance(KEPT_MS / 1_000 + 1);
		await end('build-2');
		await forget();
		expect(await keys()).toEqual(['build-2', 'runs', 'waits']);
		const again = await put('build-1');
		expect(again.status).toBe(200);
	});

	it('never gives a delivery an id again', async () => {
		await push('First');
		const before = (await server.phone.inbox()).at(-1).id;
		server.clock.advance(KEPT_MS / 1_000 + 1);
		await forget();
		await push('Second');
		expect((await server.phone.inbox()).at(-1).id).toBeGreaterThan(before);
	});

	it('stops between two writes when it is told to', async () => {
		await push('Old');
		server.clock.advance(KEPT_MS / 1_000 + 1);
		expect(await deleteOldHistory(server.context, KEPT_MS, AbortSignal.abort())).toBe(0);
		expect(await titles()).toEqual(['Old']);
	});
});
