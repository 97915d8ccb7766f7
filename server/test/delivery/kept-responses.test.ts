import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { DAY_MS } from '../../src/durations.ts';
import type { Outcome } from '../../src/delivery/gateway.ts';
import { outcomesRecorded, SteeredGateway } from '../support/gateways.ts';
import { UNLIMITED } from '../support/samples.ts';
import {
	startTestServer,
	type TestPhone,
	type TestServer,
	type TestServerOptions,
} from '../support/server.ts';

const FIRST_ATTEMPT_MS = 100;

describe('the answer kept for an Idempotency-Key', () => {
	const gateway = new SteeredGateway();
	const options = {
		settings: { ...UNLIMITED, BECKON_FIRST_ATTEMPT_MS: `${FIRST_ATTEMPT_MS}` },
		gateway: gateway.before,
	};
	let server: TestServer;
	let second: TestPhone;
	beforeEach(async () => {
		gateway.answer = undefined;
		server = await startTestServer(options);
		second = await server.pairPhone();
	});
	afterEach(() => server.close());

	const push = (to: TestServer, key = 'key', title = 'Hello') =>
		to.call('POST', '/push-notification', { title }, { headers: { 'idempotency-key': key } });
	/** Another server on the same store, which knows only what is stored. */
	async function beside<T>(
		work: (other: TestServer) => Promise<T>,
		more: TestServerOptions = {},
	): Promise<T> {
		const other = await startTestServer({ ...options, ...more, beside: server });
		try {
			return await work(other);
		} finally {
			await other.close();
		}
	}

	it('is found on another server, and counts every phone it was stored for', async () => {
		gateway.answer = ({ device }) =>
			device.id === second.id ? { kind: 'gone', reason: 'unregistered' } : undefined;
		const first = await push(server);
		expect(first.body).toMatchObject({ devices_notified: 1 });
		await outcomesRecorded(server);
		server.clock.advance(3);
		const repeat = await beside((other) => push(other));
		expect(repeat.headers['beckon-idempotency']).toBe('replayed');
		expect(repeat.body).toEqual({ ...first.body, devices_notified: 2 });
		expect(await server.phone.inbox()).toHaveLength(1);
	});

	const question = { title: 'Ship it?', choices: [{ id: 'yes', title: 'Yes' }] };
	it.each([
		['/push-notification', { title: 'Hello', target: { channels: ['ops'] }, tags: ['b', 'a'] }],
		['/push-notification', { title: 'Hello', tags: [] }],
		[
			'/push-notification/repeated',
			{ push: { title: 'Hello' }, repeat: { every_minutes: 60, times: 1 } },
		],
		['/questions', { ...question, tags: ['a'], target: { channels: ['ops'] } }],
	])('of %s, %j, is the same with all its parts', async (path, body) => {
		await server.addChannel('ops', { devices: [second.id] });
		const send = (to: TestServer) =>
			to.call('POST', path, body, { headers: { 'idempotency-key': 'key' } });
		const first = await send(server);
		expect(first.status).toBe(200);
		await outcomesRecorded(server);
		server.clock.advance(3);
		const repeat = await beside(send);
		expect(repeat.headers['beckon-idempotency']).toBe('replayed');
		expect(JSON.stringify(repeat.body)).toBe(JSON.stringify(first.body));
	});

	it.each(['the same server', 'another server'])(
		'is given to a repeat on %s while the first request is attempted',
		async (where) => {
			const finish: Array<(outcome: Outcome) => void> = [];
			gateway.answer = ({ device }) =>
				device.id === second.id ? new Promise((resolve) => finish.push(resolve)) : undefined;
			await beside(async (other) => {
				const first = push(server);
				while (finish.length === 0) await new Promise((resolve) => setTimeout(resolve, 1));
				const repeat = await push(where === 'another server' ? other : server);
				expect(repeat.headers['beckon-idempotency']).toBe('replayed');
				expect(finish).toHaveLength(1);
				finish[0]!({ kind: 'refused', reason: 'no' });
				expect(repeat.body).toEqual({ ...(await first).body, devices_notified: 2 });
			});
		},
	);

	it('counts every phone if the server is killed before it knows more', async () => {
		const finish: Array<(outcome: Outcome) => void> = [];
		gateway.answer = () => new Promise((resolve) => finish.push(resolve));
		const first = await push(server);
		expect(first.body).toMatchObject({ devices_notified: 2, users_notified: 1 });
		server.clock.advance(3);
		expect((await beside((other) => push(other))).body).toEqual(first.body);
		for (const one of finish) one({ kind: 'handed_over' });
	});

	it('is kept for a day, then the key is free', async () => {
		await push(server);
		server.clock.advance(DAY_MS / 1_000 - 1);
		expect((await beside((other) => push(other))).headers['beckon-idempotency']).toBe('replayed');
		server.clock.advance(2);
		const late = await beside((other) => push(other, 'key', 'Other'));
		expect(late).toMatchObject({ status: 200, headers: { 'beckon-idempotency': 'new' } });
		expect(await server.phone.inbox()).toHaveLength(2);
		const repeat = await beside((other) => push(other, 'key', 'Other'));
		expect(repeat.headers['beckon-idempotency']).toBe('replayed');
	});

	it.each([
		['ahead', 'the first', 'a repeat'],
		['behind', 'a repeat', 'the first'],
	])('is found around midnight by a server whose clock is %s', async (_how, early, late) => {
		server.clock.now = Date.parse('2026-03-02T00:00:00Z') - 1_000;
		await beside(
			async (ahead) => {
				const to = { [early]: server, [late]: ahead };
				await push(to['the first']!);
				server.clock.advance(0.5);
				const { headers } = await push(to['a repeat']!);
				expect(headers['beckon-idempotency']).toBe('replayed');
			},
			{ ahead: 2_000 },
		);
		expect(await server.phone.inbox()).toHaveLength(1);
	});
});
