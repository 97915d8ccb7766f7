import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { noPhones } from '../../src/contract/delivery-states.ts';
import { backoffMs, MAX_ATTEMPTS } from '../../src/delivery/gateway.ts';
import { historyOf } from '../support/history.ts';
import { SteeredGateway } from '../support/gateways.ts';
import { startTestServer, type TestServer } from '../support/server.ts';
import { waitFor } from '../support/wait.ts';

const HOUR_MS = 3_600_000;

describe('the outbox', () => {
	let server: TestServer;
	let gateway: SteeredGateway;
	beforeEach(async () => {
		gateway = new SteeredGateway();
		server = await startTestServer({ gateway: gateway.before });
	});
	afterEach(() => server.close());

	const push = (title = 'A') => server.call('POST', '/push-notification', { title });
	const deliveries = () =>
		server.context.database.read.selectFrom('deliveries').selectAll().orderBy('id').execute();
	/** The only delivery, once its attempt's outcome is recorded. */
	const recorded = (attempts: number) =>
		waitFor(`the outcome of attempt ${attempts}`, async () =>
			(await deliveries()).find((row) => row.attempts >= attempts || row.state !== 'pending'),
		);
	const fail = () => {
		gateway.answer = () => ({ kind: 'retry', reason: 'the line is down' });
	};
	const setClock = (time: number) => {
		server.clock.now = time;
	};

	it('retries what failed, when its time has come and not before', async () => {
		fail();
		expect((await push()).body).toMatchObject({ devices_notified: 1, users_notified: 1 });
		const { next_attempt_at: next, last_error: error } = await recorded(1);
		expect(error).toBe('the line is down');
		gateway.answer = undefined;
		setClock(next - 1);
		expect(await server.context.outbox.runOnce()).toBe(0);
		setClock(next);
		expect(await server.context.outbox.runOnce()).toBe(1);
		expect(await deliveries()).toMatchObject([
			{ state: 'stored', handed_over_at: null, last_error: null },
		]);
		expect(await server.context.outbox.runOnce()).toBe(0);
		expect(gateway.seen).toHaveLength(2);
	});

	it('waits longer each time, up to an hour, and gives up with the reason', async () => {
		fail();
		await push();
		const waits: number[] = [];
		for (let attempt = 1; attempt < MAX_ATTEMPTS; attempt += 1) {
			const { state, next_attempt_at: next, attempts } = await recorded(attempt);
			expect({ state, attempts }).toEqual({ state: 'pending', attempts: attempt });
			waits.push(next - server.clock.now);
			setClock(next);
			expect(await server.context.outbox.runOnce()).toBe(1);
		}
		for (const [index, wait] of waits.entries()) {
			const ceiling = Math.min(5_000 * 2 ** index, HOUR_MS);
			expect(wait).toBeGreaterThanOrEqual(ceiling / 2);
			expect(wait).toBeLessThanOrEqual(ceiling);
		}
		expect(waits.reduce((sum, wait) => sum + wait)).toBeGreaterThan(2 * HOUR_MS);
		expect(gateway.seen).toHaveLength(MAX_ATTEMPTS);
		expect(await deliveries()).toMatchObject([
			{ state: 'failed', last_error: 'the line is down', attempts: MAX_ATTEMPTS },
		]);
		setClock(server.clock.now + 24 * HOUR_MS);
		expect(await server.context.outbox.runOnce()).toBe(0);
		// The phone no longer shows a delivery reported as failed, and the history says so.
		expect(await server.phone.inbox()).toEqual([]);
		const [entry] = await historyOf(server.context, server.account.id, { tags: [], limit: 1 });
		const phones = { ...noPhones(), failed: 1 };
		expect(entry).toMatchObject({ phones, messages: [{ phones, errors: ['the line is down'] }] });
	});

	it('keeps its back-off within bounds whatever the dice say', () => {
		for (let attempt = 1; attempt <= 40; attempt += 1) {
			const [least, most] = [backoffMs(attempt, () => 0), backoffMs(attempt, () => 0.999_999)];
			expect(least).toBeGreaterThanOrEqual(2_500);
			expect(most).toBeLessThanOrEqual(HOUR_MS);
			expect(most).toBeGreaterThan(least);
			expect(backoffMs(attempt + 1, () => 0)).toBeGreaterThanOrEqual(least);
		}
	});

	it('gives up at once what the gateway refuses', async () => {
		gateway.answer = () => ({ kind: 'refused', reason: 'too large' });
		expect((await push()).body).toMatchObject({ devices_notified: 0, users_notified: 0 });
		expect(await recorded(1)).toMatchObject({ state: 'failed', last_error: 'too large' });
	});

	it('disconnects a phone that is gone, and no longer counts it', async () => {
		const stays = await server.pairPhone({ name: 'stays' });
		gateway.answer = ({ device }) =>
			device.id === server.phone.id ? { kind: 'gone', reason: 'unregistered' } : undefined;
		expect((await push()).body).toMatchObject({ devices_notified: 1 });
		await waitFor(
			'the disconnection',
			async () => (await server.phone.call('GET', '/snapshot')).status === 401,
		);
		expect((await push()).body).toMatchObject({ devices_notified: 1 });
		expect(await stays.inbox()).toHaveLength(2);
		expect(gateway.seen.filter(({ device }) => device.id === server.phone.id)).toHaveLength(1);
	});

	it('tries again later when a gateway throws', async () => {
		gateway.answer = () => {
			throw new Error('reset by peer');
		};
		expect((await push()).body).toMatchObject({ devices_notified: 1 });
		expect(await recorded(1)).toMatchObject({
			state: 'pending',
			attempts: 1,
			last_error: 'reset by peer',
		});
	});

	it('answers when a first attempt takes long, and records its outcome later', async () => {
		let release = () => {};
		const held = new Promise<void>((resolve) => (release = resolve));
		gateway.answer = async () => {
			await held;
			return { kind: 'handed_over' };
		};
		expect((await push()).body).toMatchObject({ devices_notified: 1 });
		expect(await deliveries()).toMatchObject([{ state: 'pending' }]);
		// Nothing else attempts it meanwhile.
		expect(await server.context.outbox.runOnce()).toBe(0);
		release();
		await waitFor('the outcome', async () => (await deliveries())[0]?.state === 'handed_over');
		expect(gateway.seen).toHaveLength(1);
	});

	it('finishes what is under way before it stops', async () => {
		let release = () => {};
		const held = new Promise<void>((resolve) => (release = resolve));
		gateway.answer = async () => {
			await held;
			return { kind: 'handed_over' };
		};
		await push();
		let isStopped = false;
		const stopped = server.context.outbox.stop().then(() => (isStopped = true));
		await new Promise((resolve) => setImmediate(resolve));
		expect(isStopped).toBe(false);
		release();
		await stopped;
		expect(await deliveries()).toMatchObject([
			{ state: 'handed_over', handed_over_at: server.clock.now },
		]);
	});

	it('undoes a badge that reached nobody, so that it does not arrive later', async () => {
		await server.call('POST', '/badge', { badge: 3 });
		fail();
		expect(await server.call('POST', '/badge', { badge: 9 })).toMatchObject({
			status: 502,
			body: { code: 'badge_update_failed' },
		});
		gateway.answer = undefined;
		setClock(server.clock.now + 24 * HOUR_MS);
		await server.context.outbox.runOnce();
		expect((await server.phone.snapshot()).badge).toBe(3);
		expect((await server.phone.inbox()).map(({ badge }) => badge)).toEqual([3]);
	});
});

describe('the outbox while the store fails', () => {
	it('looks again soon after the first error, and later after further ones', async () => {
		const gateway = new SteeredGateway();
		gateway.answer = () => ({ kind: 'retry', reason: 'the line is down' });
		const errors: number[] = [];
		const server = await startTestServer({
			gateway: gateway.before,
			onError: () => errors.push(performance.now()),
		});
		const { outbox, database } = server.context;
		await server.call('POST', '/push-notification', { title: 'kept' });
		const row = () => database.read.selectFrom('deliveries').selectAll().executeTakeFirst();
		await waitFor('the outcome', async () => (await row())?.attempts === 1);
		gateway.answer = undefined;
		server.clock.advance(24 * 3_600);
		const closed = database.read.withPlugin({
			transformQuery: () => {
				throw new Error('The store cannot be read');
			},
			transformResult: ({ result }) => Promise.resolve(result),
		});
		const broken = jest.replaceProperty(database, 'read', closed);
		outbox.start();
		await waitFor('the third error', () => errors.length === 3);
		broken.restore();
		await waitFor('the delivery', async () => (await row())?.state === 'stored');
		const [first = 0, second = 0, third = 0] = errors;
		expect(third - second).toBeGreaterThan(second - first);
		await server.close();
	});
});

describe('the outbox after a restart', () => {
	it('takes up what was pending, and goes on counting its attempts', async () => {
		const down = new SteeredGateway();
		down.answer = () => ({ kind: 'retry', reason: 'the line is down' });
		const first = await startTestServer({ gateway: down.before });
		await first.call('POST', '/push-notification', { title: 'kept' });
		const row = () =>
			first.context.database.read.selectFrom('deliveries').selectAll().executeTakeFirst();
		await waitFor('the first outcome', async () => (await row())?.attempts === 1);
		const before = (await row())!;
		// From now on the first only waits, like a stalled process.
		const up = new SteeredGateway();
		const second = await startTestServer({ beside: first, gateway: up.before });
		first.clock.now = before.next_attempt_at;
		expect(await second.context.outbox.runOnce()).toBe(1);
		expect(up.seen).toMatchObject([{ id: before.id, attempts: 1, message: { kind: 'push' } }]);
		const rows = await second.context.database.read.selectFrom('deliveries').selectAll().execute();
		expect(rows).toMatchObject([{ id: before.id, state: 'stored', attempts: 1 }]);
		await second.close();
		await first.close();
	});
});
