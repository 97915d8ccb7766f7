import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { DAY_MS } from '../../src/durations.ts';
import type { Outcome } from '../../src/delivery/gateway.ts';
import { forgetKeptAnswers } from '../../src/service/sending/kept-answers.ts';
import { outcomesRecorded, SteeredGateway } from '../support/gateways.ts';
import { UNLIMITED } from '../support/samples.ts';
import { startTestServer, type TestPhone, type TestServer } from '../support/server.ts';

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
	const keys = async () => {
		const rows = await server.context.database.read
			.selectFrom('idempotency_keys')
			.select('created_at')
			.execute();
		return rows.length;
	};

	/** Another server on the same store, which knows only what is stored. */
	async function beside<T>(work: (other: TestServer) => Promise<T>): Promise<T> {
		const other = await startTestServer({ ...options, beside: server });
		try {
			return await work(other);
		} finally {
			await other.close();
		}
	}

	it('is the same on another server, also where a phone was gone', async () => {
		gateway.answer = ({ device }) =>
			device.id === second.id ? { kind: 'gone', reason: 'unregistered' } : undefined;
		const first = await push(server);
		expect(first.body).toMatchObject({ devices_notified: 1 });
		await outcomesRecorded(server);
		server.clock.advance(3);
		const repeat = await beside((other) => push(other));
		expect(repeat.headers['beckon-idempotency']).toBe('replayed');
		expect(JSON.stringify(repeat.body)).toBe(JSON.stringify(first.body));
		expect(await server.phone.inbox()).toHaveLength(1);
	});

	it('is given to a repeat once the first request has it', async () => {
		const finish: Array<(outcome: Outcome) => void> = [];
		gateway.answer = ({ device }) =>
			device.id === second.id ? new Promise((resolve) => finish.push(resolve)) : undefined;
		const first = push(server);
		const repeat = push(server);
		while (finish.length === 0) await new Promise((resolve) => setTimeout(resolve, 1));
		finish[0]!({ kind: 'refused', reason: 'no' });
		expect((await first).body).toMatchObject({ devices_notified: 1 });
		expect((await repeat).body).toEqual((await first).body);
		expect(finish).toHaveLength(1);
	});

	it('is waited for by another server, and read again', async () => {
		let isAsked = false;
		gateway.answer = ({ device }) => {
			if (device.id !== second.id) return undefined;
			isAsked = true;
			return { kind: 'refused', reason: 'no' };
		};
		await beside(async (other) => {
			const first = push(server);
			while (!isAsked) await new Promise((resolve) => setTimeout(resolve, 1));
			const repeat = await push(other);
			expect(repeat.headers['beckon-idempotency']).toBe('replayed');
			expect(repeat.body).toEqual((await first).body);
			expect(repeat.body).toMatchObject({ devices_notified: 1 });
		});
	});

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
		expect(await keys()).toBe(1);
	});

	it('is deleted after a day, whatever the number', async () => {
		const rows = Array.from({ length: 1_200 }, (_, n) => ({
			hash: `hash ${n}`,
			request_hash: '',
			answer_json: '{}',
			created_at: server.clock.now - 2 * DAY_MS,
		}));
		await server.context.database.write(null, (db) =>
			db.insertInto('idempotency_keys').values(rows).execute(),
		);
		await push(server);
		await forgetKeptAnswers(server.context);
		expect(await keys()).toBe(1);
	});
});
