import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { DELIVERY_STATES } from '../../src/contract/delivery-states.ts';
import type { Outcome } from '../../src/delivery/gateway.ts';
import { pushExpiry } from '../../src/service/sending/stored-pushes.ts';
import { repeats } from '../../src/service/sending/repeats.ts';
import { outcomesRecorded, SteeredGateway } from '../support/gateways.ts';
import { historyOf } from '../support/history.ts';
import { settleDue } from '../support/later.ts';
import { startTestServer, type TestServer } from '../support/server.ts';

describe('a push with a TTL', () => {
	let server: TestServer;
	let gateway: SteeredGateway;
	beforeEach(async () => {
		gateway = new SteeredGateway();
		server = await startTestServer({ gateway: gateway.before });
	});
	afterEach(() => server.close());

	async function send(ttl: number | string = 600, headers = {}) {
		const all = { headers: { ttl: String(ttl), ...headers } };
		const answer = await server.call('POST', '/push-notification', { title: 'Gate open' }, all);
		await outcomesRecorded(server);
		return answer;
	}
	async function pass(seconds: number) {
		server.clock.advance(seconds);
		await settleDue(server.context, pushExpiry);
	}
	async function state() {
		const [entry] = await historyOf(server.context, server.account.id, { tags: [], limit: 1 });
		return Object.entries(entry!.phones).flatMap(([name, phones]) => (phones > 0 ? [name] : []));
	}
	/** Everything that the phone gets when it is opened. */
	async function onPhone() {
		const { notifications, notification_count: count } = await server.phone.snapshot();
		const { body } = await server.phone.call('GET', '/history');
		const lists = [notifications, await server.phone.inbox(), body['deliveries']];
		return [count, ...lists.map((list: any[]) => list.length)];
	}

	it.each<[string, Outcome | undefined]>([
		['stored', undefined],
		['handed_over', { kind: 'handed_over' }],
		['pending', { kind: 'retry', reason: 'busy' }],
	])('that was only %s does not arrive any more once it has expired', async (before, outcome) => {
		gateway.answer = () => outcome;
		await send();
		await pass(599);
		expect([await state(), await onPhone()]).toEqual([[before], [1, 1, 1, 1]]);
		await pass(2);
		expect([await state(), await onPhone()]).toEqual([['expired'], [0, 0, 0, 0]]);
		expect(DELIVERY_STATES.expired).toBe('expired before it arrived');
		server.clock.advance(86_400);
		await server.context.outbox.runOnce();
		expect(gateway.seen).toHaveLength(1);
	});

	it('that waited while no server ran is not attempted, whatever is done first', async () => {
		gateway.answer = () => ({ kind: 'retry', reason: 'busy' });
		await send();
		server.clock.advance(86_400);
		await server.context.outbox.runOnce();
		expect(gateway.seen).toHaveLength(1);
		await pass(0);
		expect(await state()).toEqual(['expired']);
	});

	it('stays, once it has arrived', async () => {
		await send();
		const ids = (await server.phone.inbox()).map(({ id }) => id);
		await server.phone.call('POST', '/acknowledge', { deliveries: ids });
		await pass(601);
		expect([await state(), await onPhone()]).toEqual([['received'], [1, 1, 1, 1]]);
	});

	it('is received if the phone acknowledges it afterwards', async () => {
		await send();
		const ids = (await server.phone.inbox()).map(({ id }) => id);
		await pass(601);
		await server.phone.call('POST', '/acknowledge', { deliveries: ids });
		expect(await state()).toEqual(['received']);
	});

	it('ends its repeats', async () => {
		const repeat = { every_minutes: 5, times: 10 };
		const body = { push: { title: 'Gate open' }, repeat };
		await server.call('POST', '/push-notification/repeated', body, { headers: { ttl: '600' } });
		server.clock.advance(301);
		expect(await settleDue(server.context, repeats)).toBe(1);
		await outcomesRecorded(server);
		await pass(301);
		server.clock.advance(301);
		expect(await settleDue(server.context, repeats)).toBe(0);
		expect(await onPhone()).toEqual([0, 0, 0, 0]);
	});

	it('is another one than without, or with another TTL, for its Idempotency-Key', async () => {
		const headers = { 'idempotency-key': '"a"' };
		await send(600, headers);
		expect((await send(600, headers)).headers['beckon-idempotency']).toBe('replayed');
		expect((await send(601, headers)).status).toBe(422);
	});

	it.each(['0', '-1', '1.5', '2592001', 'PT10M', ''])('is refused with %j', async (ttl) => {
		const { status, body } = await send(ttl);
		expect([status, body['message']]).toEqual([
			400,
			expect.stringMatching(/^TTL must be a whole number from 1 to 2592000/),
		]);
	});
});
