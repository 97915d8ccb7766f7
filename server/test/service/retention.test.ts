import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { Gateway } from '../../src/delivery/gateway.ts';
import { DAY_MS } from '../../src/durations.ts';
import { forgetOldHistory } from '../../src/service/upkeep/retention.ts';
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
		return forgetOldHistory(server.context, KEPT_MS);
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
		expect(await forgetOldHistory(server.context, KEPT_MS, AbortSignal.abort())).toBe(0);
		expect(await titles()).toEqual(['Old']);
	});
});
