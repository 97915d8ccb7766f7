import { randomUUID } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { insertTrigger } from '../../src/store/triggers.ts';
import { leaveOutOfPacked } from '../support/left-out.ts';
import { UNLIMITED } from '../support/samples.ts';
import { startTestServer, type TestServer } from '../support/server.ts';
import { waitFor, within } from '../support/wait.ts';

const ASKED = { title: 'Deploy?', choices: [{ id: 'yes', title: 'Approve' }] };
const SESSION = 'session-of-n8n-1';
const triggerId = (letter: string) => `trg_${letter.repeat(43)}`;
/** For which its requests wait. */
const WAIT_MS = 50_000;

describe('keys limited to channels', () => {
	let server: TestServer;
	beforeEach(async () => {
		server = await startTestServer({ settings: { ...UNLIMITED, BECKON_QUESTIONS_OPEN: '5' } });
		for (const slug of ['ops', 'sales']) await server.addChannel(slug, { users: ['owner'] });
	});
	afterEach(() => server.close());

	const keyFor = (...channels: string[]) =>
		server.addKey(server.account.id, channels.length > 0 ? channels : undefined);
	const ask = (key: string) => server.call('POST', '/questions', ASKED, { key });
	const register = (letter: string, key: string, more: object = {}) =>
		server.call(
			'PUT',
			`/triggers/${triggerId(letter)}`,
			{ name: 'Ship', session: SESSION, ...more },
			{ key },
		);
	/** Registers triggers of a key in the store: a thousand requests would take long. */
	const store = async (prefix: string, key: string, count: number) => {
		const { database } = server.context;
		const { id } = await database.read
			.selectFrom('api_keys')
			.select('id')
			.where('last_four', '=', key.slice(-4))
			.executeTakeFirstOrThrow();
		const rest = { name: 'Ship', session: null, listens_until: 0, tested_until: 0, taps: 0 };
		const registered = { registered_at: server.clock.now, account_id: server.account.id };
		await database.write(server.account.id, async (db) => {
			for (let number = 0; number < count; number += 1)
				await insertTrigger(db, {
					id: `${prefix}${number}`,
					api_key_id: id,
					...rest,
					...registered,
				});
		});
	};

	it('together have half of the open questions', async () => {
		const [ops, sales, all] = [await keyFor('ops'), await keyFor('sales'), await keyFor()];
		const { body: first } = await ask(ops);
		expect((await ask(sales)).status).toBe(200);
		for (const key of [ops, sales])
			expect(await ask(key)).toMatchObject({
				status: 429,
				body: {
					message: expect.stringMatching(
						/^Keys limited to channels already have 2 open questions, half of this account's maximum\./,
					),
				},
			});
		for (let count = 0; count < 3; count += 1) expect((await ask(all)).status).toBe(200);
		expect((await ask(all)).status).toBe(429);
		await server.call('DELETE', `/questions/${first['question_id']}`, undefined, { key: ops });
		expect((await ask(sales)).status).toBe(200);
	});

	it('together have half of the triggers, and one that exists goes on', async () => {
		leaveOutOfPacked('the store');
		const [ops, sales, all] = [await keyFor('ops'), await keyFor('sales'), await keyFor()];
		await store('ops', ops, 250);
		await store('sales', sales, 249);
		expect((await register('a', ops)).status).toBe(200);
		for (const [letter, key] of [
			['b', ops],
			['c', sales],
		] as const)
			expect(await register(letter, key)).toMatchObject({
				status: 429,
				body: { message: expect.stringContaining("half of this account's maximum") },
			});
		expect((await register('a', ops)).status).toBe(200);
		expect((await register('d', all)).status).toBe(200);
		await store('all', all, 499);
		expect(await register('e', all)).toMatchObject({
			status: 429,
			body: { message: expect.stringContaining('This account already has 1000 triggers') },
		});
	});

	it('leave room when they are revoked, also for who takes their triggers', async () => {
		leaveOutOfPacked('the store');
		const [ops, all] = [await keyFor('ops'), await keyFor()];
		expect((await register('a', ops)).status).toBe(200);
		await store('ops', ops, 499);
		await server.revokeKey(server.account.id, ops);
		const next = await keyFor('ops');
		expect((await register('b', next)).status).toBe(200);
		await store('all', all, 998);
		expect((await register('c', all)).status).toBe(200);
		// Now it is full: a trigger that did not count would.
		expect((await register('a', next)).status).toBe(429);
	});

	it.each([
		[['ops'], ['ops'], 200],
		[['ops'], ['ops', 'sales'], 200],
		[['ops'], [], 200],
		[[], [], 200],
		[['ops'], ['sales'], 404],
		[['ops', 'sales'], ['ops'], 404],
		[[], ['ops', 'sales'], 404],
	] as const)(
		'a trigger of a revoked key of %j is taken over by one of %j: %i',
		async (former, next, status) => {
			const [first, second] = [await keyFor(...former), await keyFor(...next)];
			expect((await register('a', first)).status).toBe(200);
			await server.revokeKey(server.account.id, first);
			expect((await register('a', second)).status).toBe(status);
		},
	);

	it('take nothing over from a key whose channels are gone', async () => {
		leaveOutOfPacked('the store');
		const [first, second, all] = [await keyFor('ops'), await keyFor('sales'), await keyFor()];
		await register('a', first);
		await server.revokeKey(server.account.id, first);
		const { context, account } = server;
		await context.database.write(account.id, (db) =>
			db.deleteFrom('channels').where('slug', '=', 'ops').execute(),
		);
		expect((await register('a', second)).status).toBe(404);
		expect((await register('a', all)).status).toBe(200);
	});

	it('cannot take the Idempotency-Key of another', async () => {
		const headers = { 'idempotency-key': '"order-7"' };
		const [ops, sales, all] = [await keyFor('ops'), await keyFor('sales'), await keyFor()];
		const push = (title: string, key: string) =>
			server.call('POST', '/push-notification', { title }, { key, headers });
		for (const key of [ops, sales, all]) {
			const sent = await push(`Of ${key}`, key);
			expect(sent).toMatchObject({ status: 200, headers: { 'beckon-idempotency': 'new' } });
			const again = await push(`Of ${key}`, key);
			expect(again).toMatchObject({ status: 200, headers: { 'beckon-idempotency': 'replayed' } });
			expect((await push('Other', key)).status).toBe(422);
		}
		expect((await server.phone.inbox()).map(({ push: { title } }) => title)).toEqual([
			`Of ${ops}`,
			`Of ${sales}`,
			`Of ${all}`,
		]);
	});
});

/** What a key no longer has, its waiting requests must not get. */
describe('a request that waits for a key', () => {
	let server: TestServer;
	let ops: string;
	beforeEach(async () => {
		leaveOutOfPacked('the store and the service');
		server = await startTestServer({ settings: UNLIMITED });
		await server.addChannel('ops', { users: ['owner'] });
		await server.addChannel('sales', { users: ['owner'] });
		ops = await server.addKey(server.account.id, ['ops', 'sales']);
	});
	afterEach(() => server?.close());

	const CHANGES: Record<string, () => Promise<void>> = {
		'is revoked': () => server.revokeKey(server.account.id, ops),
		'loses a channel': async () => {
			const { context, account } = server;
			await context.database.write(account.id, async (db) => {
				const channel = db.selectFrom('channels').select('id').where('slug', '=', 'sales');
				await db.deleteFrom('api_key_channels').where('channel_id', 'in', channel).execute();
			});
		},
	};

	it.each(Object.keys(CHANGES))('for an answer gets none once it %s', async (change) => {
		const { body } = await server.call('POST', '/questions', ASKED, { key: ops });
		const id = String(body['question_id']);
		const waiting = server.call('GET', `/questions/${id}?wait=50`, undefined, { key: ops });
		await waitFor('the request to wait', () => server.context.questionWaits.size === 1);
		await CHANGES[change]!();
		await server.phone.call('POST', `/questions/${id}/answer`, {
			tap_id: randomUUID(),
			choice: 'yes',
		});
		expect((await within('the answer', waiting, WAIT_MS)).status).toBe(401);
	});

	it('ends at once when it is revoked, for an answer and for taps', async () => {
		const { body } = await server.call('POST', '/questions', ASKED, { key: ops });
		const path = `/triggers/${triggerId('a')}`;
		await server.call('PUT', path, { name: 'Ship', session: SESSION }, { key: ops });
		const waiting = [
			server.call('GET', `/questions/${body['question_id']}?wait=50`, undefined, { key: ops }),
			server.call('GET', `${path}/taps?session=${SESSION}&wait=50`, undefined, { key: ops }),
		];
		const { questionWaits, triggerWaits } = server.context;
		await waitFor('both to wait', () => questionWaits.size + triggerWaits.size === 2);
		await server.revokeKey(server.account.id, ops);
		for (const { status } of await within('the ends', Promise.all(waiting), WAIT_MS))
			expect(status).toBe(401);
		expect([questionWaits.size, triggerWaits.size]).toEqual([0, 0]);
	});

	it('of all channels ends, too, whoever asked', async () => {
		const { body } = await server.call('POST', '/questions', ASKED, { key: ops });
		const all = await server.addKey(server.account.id);
		const path = `/questions/${body['question_id']}?wait=50`;
		const waiting = server.call('GET', path, undefined, { key: all });
		await waitFor('the request to wait', () => server.context.questionWaits.size === 1);
		await server.revokeKey(server.account.id, all);
		expect((await within('the end', waiting, WAIT_MS)).status).toBe(401);
	});
});
