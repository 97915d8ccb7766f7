import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { UNLIMITED } from '../support/samples.ts';
import { startTestServer, type TestServer } from '../support/server.ts';

const PUSH = '/push-notification';
const REPEATED = '/push-notification/repeated';
const HANDLED = 'beckon-idempotency';

describe('a push with an Idempotency-Key', () => {
	let server: TestServer;
	beforeAll(async () => {
		server = await startTestServer({ settings: UNLIMITED });
	});
	afterAll(() => server.close());

	let keys = 0;
	const newKey = () => `"key ${(keys += 1)}"`;
	const push = (key: string, body: object = { title: 'Hello' }, path = PUSH) =>
		server.call('POST', path, body, { headers: { 'idempotency-key': key } });
	const arrived = async () => (await server.phone.inbox()).length;

	it('is delivered once, and its repeat gets the same answer', async () => {
		const before = await arrived();
		const key = newKey();
		const first = await push(key, { title: 'Hello', tags: ['a'] });
		expect(first).toMatchObject({ status: 200, headers: { [HANDLED]: 'new' } });
		const repeat = await push(key, { title: 'Hello', tags: ['a'] });
		expect(repeat).toMatchObject({ status: 200, headers: { [HANDLED]: 'replayed' } });
		expect(JSON.stringify(repeat.body)).toBe(JSON.stringify(first.body));
		expect(await arrived()).toBe(before + 1);
	});

	it('that repeats until someone reacts is delivered once, with one repeat_id', async () => {
		const before = await arrived();
		const key = newKey();
		const body = { push: { title: 'Water' }, repeat: { every_minutes: 60, times: 1 } };
		const first = await push(key, body, REPEATED);
		const repeat = await push(key, body, REPEATED);
		expect(first.body['repeat_id']).toEqual(expect.any(String));
		expect(repeat).toMatchObject({ body: first.body, headers: { [HANDLED]: 'replayed' } });
		expect(await arrived()).toBe(before + 1);
		await server.call('DELETE', `${REPEATED}/${String(first.body['repeat_id'])}`);
	});

	it('sent many times at once is delivered once', async () => {
		const before = await arrived();
		const key = newKey();
		const answers = await Promise.all(Array.from({ length: 20 }, () => push(key)));
		expect(new Set(answers.map(({ body }) => JSON.stringify(body))).size).toBe(1);
		const handled = answers.map(({ headers }) => headers[HANDLED]);
		expect(handled.filter((how) => how === 'new')).toHaveLength(1);
		expect(await arrived()).toBe(before + 1);
	});

	it('with another body is refused, and not delivered', async () => {
		const key = newKey();
		await push(key);
		const before = await arrived();
		for (const [body, path] of [
			[{ title: 'Other' }, PUSH],
			[{ push: { title: 'Hello' }, repeat: { every_minutes: 1, times: 1 } }, REPEATED],
		] as const) {
			const { status, body: refusal } = await push(key, body, path);
			expect(status).toBe(422);
			expect(refusal).toMatchObject({
				code: 'idempotency_key_reused',
				message: expect.stringContaining('Idempotency-Key'),
			});
			expect(refusal).not.toHaveProperty('effective_channel_slugs');
		}
		expect(await arrived()).toBe(before);
	});

	it('that only spells its body differently is a repeat', async () => {
		const key = newKey();
		await push(key, { title: 'Hello', message: 'm' });
		const repeat = await push(key, { message: 'm', title: ' Hello ', sound: 'default' });
		expect(repeat).toMatchObject({ status: 200, headers: { [HANDLED]: 'replayed' } });
	});

	it('of an API key with other channels is another push: neither takes nor learns what the other has', async () => {
		await server.addChannel('ops', { devices: [server.phone.id] });
		const limited = await server.addKey(server.account.id, ['ops']);
		const key = newKey();
		await push(key);
		const { status, headers } = await server.call(
			'POST',
			PUSH,
			{ title: 'Hello' },
			{ key: limited, headers: { 'idempotency-key': key } },
		);
		expect([status, headers[HANDLED]]).toEqual([200, 'new']);
	});

	it('of another account is another push', async () => {
		const other = await server.addAccount();
		const phone = await server.pairPhone({ account: other.id });
		const key = newKey();
		await push(key);
		const { headers } = await server.call(
			'POST',
			PUSH,
			{ title: 'Hello' },
			{ key: other.key, headers: { 'idempotency-key': key } },
		);
		expect(headers[HANDLED]).toBe('new');
		expect(await phone.inbox()).toHaveLength(1);
	});

	it('that was refused leaves its key free', async () => {
		const empty = await server.addAccount();
		const key = newKey();
		const send = () =>
			server.call(
				'POST',
				PUSH,
				{ title: 'Hello' },
				{ key: empty.key, headers: { 'idempotency-key': key } },
			);
		expect(await send()).toMatchObject({ status: 422, headers: { [HANDLED]: 'new' } });
		const phone = await server.pairPhone({ account: empty.id });
		expect(await send()).toMatchObject({ status: 200, headers: { [HANDLED]: 'new' } });
		expect(await phone.inbox()).toHaveLength(1);
	});

	it('counts as one send', async () => {
		const trial = await server.addAccount({ plan: 'trial' });
		await server.pairPhone({ account: trial.id });
		const send = (key: string) =>
			server.call(
				'POST',
				PUSH,
				{ title: 'Hello' },
				{ key: trial.key, headers: { 'idempotency-key': key } },
			);
		const usage = () =>
			server.context.database.read
				.selectFrom('usage')
				.select('sends')
				.where('account_id', '=', trial.id)
				.execute();
		await send('a');
		await send('a');
		expect(await usage()).toEqual([{ sends: 1 }]);
	});

	it.each([
		['a bare value', 'order-7', '"order-7"'],
		['escapes', '"a\\"b\\\\c"', '"a\\"b\\\\c"'],
		['255 characters', 'x'.repeat(255), `"${'x'.repeat(255)}"`],
	])('may have %s', async (_what, key, same) => {
		expect(await push(key)).toMatchObject({ status: 200, headers: { [HANDLED]: 'new' } });
		expect(await push(same)).toMatchObject({ status: 200, headers: { [HANDLED]: 'replayed' } });
	});

	it.each([
		['nothing', ''],
		['an empty string', '""'],
		['256 characters', 'x'.repeat(256)],
		['no closing quote', '"a'],
		['two keys', '"a", "b"'],
		['two bare keys', 'a, b'],
		['an unknown escape', '"a\\b"'],
		['a space outside quotes', 'a b'],
		['letters that are not ASCII', '"ä"'],
	])('is refused in plain words with %s as its key', async (_what, key) => {
		const before = await arrived();
		const { status, body, headers } = await push(key);
		expect(status).toBe(400);
		expect(body).toMatchObject({
			error: 'Invalid request',
			message: expect.stringMatching(/^Idempotency-Key must be .*255/),
			issues: [{ path: 'Idempotency-Key' }],
		});
		expect(headers).not.toHaveProperty(HANDLED);
		expect(await arrived()).toBe(before);
	});

	it('says nothing about keys without one', async () => {
		const { headers } = await server.call('POST', PUSH, { title: 'Hello' });
		expect(headers).not.toHaveProperty(HANDLED);
	});
});
