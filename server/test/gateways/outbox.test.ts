import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { Gateway, Outcome } from '../../src/delivery/gateway.ts';
import { LEASE_MS, Outbox } from '../../src/delivery/outbox.ts';
import type { OutgoingDelivery } from '../../src/store/outbox/deliveries.ts';
import { openDatabase } from '../../src/store/open.ts';
import { outcomesRecorded, SteeredGateway } from '../support/gateways.ts';
import { startTestServer, type TestServer } from '../support/server.ts';
import { waitFor } from '../support/wait.ts';

let gateway: SteeredGateway;
let server: TestServer;

beforeEach(async () => {
	gateway = new SteeredGateway();
	server = await startTestServer({ gateway: gateway.before });
});
afterEach(() => server.close());

/** Opens the store again, as another process would. */
function openAgain() {
	return openDatabase(server.store);
}

const put = (percentage: number) =>
	server.call('PUT', '/live-activity/stream/s', {
		content_state: { type: 'progress', title: 'Backup', percentage },
	});

const shown = ({ message }: OutgoingDelivery) =>
	message.kind === 'badge'
		? JSON.parse(message.content_json)
		: JSON.parse(message.content_json).activity.content_state.percentage;

const states = () =>
	server.context.database.read
		.selectFrom('deliveries')
		.select(['state', 'attempts', 'last_error'])
		.orderBy('id')
		.execute();

/** Advances a minute, once the outcomes of all attempts are recorded, so their back-off is over. */
async function aMinuteLater(): Promise<void> {
	await outcomesRecorded(server);
	server.clock.advance(60);
}

/** Attempts that the test ends one by one. */
function holdAttempts(): Array<(outcome: Outcome) => void> {
	const ends: Array<(outcome: Outcome) => void> = [];
	gateway.answer = () => new Promise((resolve) => ends.push(resolve));
	return ends;
}

describe('deliveries of one stream to one device', () => {
	it('are made one after another, the newest update in the place of those that wait', async () => {
		await put(1);
		await outcomesRecorded(server);
		const ends = holdAttempts();
		await put(2);
		expect((await put(3)).body).toMatchObject({ operation: 'updated', devices_notified: 1 });
		await put(4);
		expect(gateway.seen.map(shown)).toEqual([1, 2]);

		gateway.answer = undefined;
		ends[0]?.({ kind: 'handed_over' });
		await waitFor('the next to be free', async () => (await server.context.outbox.runOnce()) > 0);
		expect(gateway.seen.map(shown)).toEqual([1, 2, 4]);
		expect((await states()).map(({ state }) => state)).toEqual([
			'stored',
			'handed_over',
			'superseded',
			'stored',
		]);
	});

	it('are not tried again when a newer one has come during the attempt', async () => {
		await put(1);
		await outcomesRecorded(server);
		const ends = holdAttempts();
		await put(2);
		await put(3);
		gateway.answer = undefined;
		ends[0]?.({ kind: 'retry', reason: 'busy' });
		await waitFor('the newer to be free', async () => (await server.context.outbox.runOnce()) > 0);
		expect(gateway.seen.map(shown)).toEqual([1, 2, 3]);
		expect((await states())[1]).toEqual({ state: 'superseded', attempts: 1, last_error: 'busy' });
	});

	it('never lose an end, whatever waits before it', async () => {
		gateway.answer = () => ({ kind: 'retry', reason: 'busy' });
		await put(1);
		await put(2);
		await server.call('DELETE', '/live-activity/stream/s', {});
		await put(3);
		gateway.answer = undefined;
		gateway.seen.length = 0;
		await aMinuteLater();
		while ((await server.context.outbox.runOnce()) > 0);
		expect(gateway.seen.map(({ message }) => message.kind)).toEqual([
			'activity_start',
			'activity_end',
			'activity_start',
		]);
	});

	it('give way to nothing older, such as an end that waited for its token', async () => {
		const iphone = await server.pairPhone({ platform: 'ios' });
		const register = (body: any) =>
			iphone.call('PUT', `/activities/${body.activity_id}/token`, { token: 'a token' });
		const onIphone = () =>
			gateway.seen
				.filter(({ device }) => device.id === iphone.id)
				.map((delivery) => `${delivery.message.kind} ${shown(delivery)}`);
		const first = await put(1);
		await server.call('DELETE', '/live-activity/stream/s', {});
		await outcomesRecorded(server);
		const ends = holdAttempts();
		const second = await put(2);
		await put(3);
		// Behind the second start, whose attempts are still under way.
		await register(second.body);
		await register(first.body);

		gateway.answer = undefined;
		for (const end of ends) end({ kind: 'handed_over' });
		await outcomesRecorded(server);
		while ((await server.context.outbox.runOnce()) > 0);
		expect(onIphone()).toEqual([
			'activity_start 1',
			'activity_start 2',
			'activity_update 3',
			'activity_end 1',
		]);
	});

	it('do not hold up those of another stream', async () => {
		await put(1);
		await outcomesRecorded(server);
		const ends = holdAttempts();
		await put(2);
		gateway.answer = undefined;
		await server.call('PUT', '/live-activity/stream/other', {
			content_state: { type: 'progress', title: 'Other', percentage: 9 },
		});
		expect(gateway.seen.map(shown)).toEqual([1, 2, 9]);
		ends[0]?.({ kind: 'handed_over' });
	});
});

describe('badges of one device', () => {
	it('collapse to the newest while the gateway is away', async () => {
		await server.pairPhone();
		let isFirst = true;
		// One phone takes it, so the badge is not answered as failed.
		gateway.answer = ({ device }) =>
			device.id === server.phone.id && isFirst ? { kind: 'retry', reason: 'busy' } : undefined;
		for (const badge of [1, 2, 3]) {
			await server.call('POST', '/badge', { badge });
			await outcomesRecorded(server);
		}
		isFirst = false;
		gateway.seen.length = 0;
		await aMinuteLater();
		await server.context.outbox.runOnce();
		expect(gateway.seen.map(shown)).toEqual([3]);
	});
});

describe('a worker', () => {
	const outboxOn = (database: Awaited<ReturnType<typeof openDatabase>>, way: Gateway) =>
		new Outbox({
			database,
			gatewayFor: () => way,
			holdBack: (_db, claimed) => Promise.resolve([...claimed]),
			now: () => server.clock.now,
			firstAttemptMs: 0,
			onError: (error) => {
				throw error;
			},
		});

	it('never sends what another sends at the same time', async () => {
		gateway.answer = () => ({ kind: 'retry', reason: 'busy' });
		for (let n = 0; n < 60; n += 1)
			await server.call('POST', '/push-notification', { title: `${n}` });
		await aMinuteLater();
		const open = new Map<number, number>();
		let most = 0;
		const way: Gateway = {
			async deliver({ id }) {
				open.set(id, (open.get(id) ?? 0) + 1);
				most = Math.max(most, open.get(id) ?? 0);
				await new Promise((resolve) => setTimeout(resolve, 5));
				return { kind: 'handed_over' };
			},
		};
		const databases = await Promise.all([1, 2, 3].map(() => openAgain()));
		try {
			const counts = await Promise.all(
				databases.map((database) => outboxOn(database, way).runOnce()),
			);
			expect(counts.reduce((sum, count) => sum + count, 0)).toBe(60);
			expect(most).toBe(1);
			expect([...open.values()].every((count) => count === 1)).toBe(true);
		} finally {
			await Promise.all(databases.map((database) => database.close()));
		}
	});

	it('takes up what a dead process had under way when the lease ends, not before', async () => {
		const ends = holdAttempts();
		await server.call('POST', '/push-notification', { title: 'Order' });
		await waitFor('the attempt', () => gateway.seen.length === 1);
		const database = await openAgain();
		try {
			const other = new SteeredGateway();
			other.answer = () => ({ kind: 'handed_over' });
			const outbox = outboxOn(database, other);
			expect(await outbox.runOnce()).toBe(0);
			server.clock.advance(LEASE_MS / 1_000);
			expect(await outbox.runOnce()).toBe(1);
			expect((await states()).map(({ state }) => state)).toEqual(['handed_over']);
		} finally {
			await database.close();
			ends[0]?.({ kind: 'handed_over' });
		}
	});

	it('has no more attempts open than the gateway bears', async () => {
		gateway.answer = () => ({ kind: 'retry', reason: 'busy' });
		for (let n = 0; n < 20; n += 1)
			await server.call('POST', '/push-notification', { title: `${n}` });
		await aMinuteLater();
		let open = 0;
		let most = 0;
		const way: Gateway = {
			maxOpen: 3,
			async deliver() {
				open += 1;
				most = Math.max(most, open);
				await new Promise((resolve) => setTimeout(resolve, 1));
				open -= 1;
				return { kind: 'handed_over' };
			},
		};
		expect(await outboxOn(server.context.database, way).runOnce()).toBe(20);
		expect(most).toBe(3);
	});

	it('leaves what it cannot begin within the lease to the next round, uncounted', async () => {
		gateway.answer = () => ({ kind: 'retry', reason: 'busy' });
		for (let n = 0; n < 2; n += 1)
			await server.call('POST', '/push-notification', { title: `${n}` });
		await aMinuteLater();
		const seen: number[] = [];
		const way: Gateway = {
			maxOpen: 1,
			async deliver({ id }) {
				seen.push(id);
				// The first takes almost the whole lease of both.
				if (seen.length === 1) server.clock.advance(LEASE_MS / 1_000 - 5);
				return { kind: 'handed_over' };
			},
		};
		const outbox = outboxOn(server.context.database, way);
		await outbox.runOnce();
		expect(seen).toHaveLength(1);
		await outbox.runOnce();
		expect(await states()).toMatchObject([
			{ state: 'handed_over', attempts: 1 },
			{ state: 'handed_over', attempts: 1 },
		]);
	});
});
