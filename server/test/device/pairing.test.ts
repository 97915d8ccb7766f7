import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { createPairCode } from '../../src/service/phones/pairing.ts';
import { type Answer, startTestServer, type TestServer } from '../support/server.ts';

describe('POST /device/pair', () => {
	let server: TestServer;
	beforeEach(async () => {
		server = await startTestServer();
		// The pairing of the server's own first phone counts for the first minute.
		server.clock.advance(60);
	});
	afterEach(() => server.close());

	const newCode = async () =>
		(await createPairCode(server.context, server.account.id, 'owner')).code;

	async function pair(body: unknown, from = '127.0.0.1'): Promise<Answer> {
		const response = await server.app.inject({
			...{ method: 'POST', url: '/device/pair', remoteAddress: from },
			...{ headers: { 'content-type': 'application/json' }, payload: JSON.stringify(body) },
		});
		return { status: response.statusCode, body: response.json(), headers: response.headers };
	}

	const phone = (code: string) => ({ code, name: 'Kitchen', platform: 'web' });

	it('answers with the device and its token', async () => {
		const { status, body, headers } = await pair(phone(await newCode()));
		expect(status).toBe(200);
		expect(body).toEqual({
			device: {
				id: expect.stringMatching(/^dev_/),
				name: 'Kitchen',
				platform: 'web',
				user: { id: expect.stringMatching(/^usr_/), name: 'owner' },
				account: { name: 'acme' },
			},
			token: expect.stringMatching(/^bd_[A-Za-z0-9_-]{43}$/),
		});
		expect(headers['cache-control']).toBe('no-store');
	});

	it('stores the token and the code only as hashes', async () => {
		const code = await newCode();
		const db = server.context.database.read;
		expect(JSON.stringify(await db.selectFrom('pair_codes').selectAll().execute())).not.toContain(
			code,
		);
		const { body } = await pair(phone(code));
		const rows = await db.selectFrom('devices').selectAll().execute();
		expect(rows.map(({ id }) => id)).toContain(body['device'].id);
		expect(JSON.stringify(rows)).not.toContain(body['token'].slice(3));
	});

	it('takes a code once', async () => {
		const code = await newCode();
		expect((await pair(phone(code))).status).toBe(200);
		const { status, body } = await pair(phone(code));
		expect(status).toBe(404);
		expect(body).toMatchObject({
			error: 'Pairing code not found',
			message: expect.stringContaining('used already'),
		});
	});

	it('takes a code once when two phones send it at the same moment', async () => {
		const code = await newCode();
		const answers = await Promise.all([pair(phone(code)), pair(phone(code)), pair(phone(code))]);
		expect(answers.map(({ status }) => status).sort()).toEqual([200, 404, 404]);
	});

	it('takes a code for 15 minutes', async () => {
		const [early, late] = [await newCode(), await newCode()];
		server.clock.advance(15 * 60 - 1);
		expect((await pair(phone(early))).status).toBe(200);
		server.clock.advance(1);
		expect((await pair(phone(late))).status).toBe(404);
	});

	it('takes a code as people type it', async () => {
		for (const typed of [
			(code: string) => code.toLowerCase(),
			(code: string) => `${code.slice(0, 4)}-${code.slice(4)}`,
			(code: string) => ` ${[...code].join(' ')} `,
		]) {
			expect((await pair(phone(typed(await newCode())))).status).toBe(200);
		}
	});

	it('refuses a code that nobody was given', async () => {
		const { status, body } = await pair(phone('AAAABBBB'));
		expect(status).toBe(404);
		expect(body).toMatchObject({ error: 'Pairing code not found', message: expect.any(String) });
	});

	it.each<[string, object, RegExp]>([
		['a code of another length', { code: 'AAAA' }, /^code must be the 8 letters/],
		['no code', { code: undefined }, /^code is required/],
		['an empty name', { name: '  ' }, /^name must be 1 to 64 characters long/],
		['a name that is too long', { name: 'x'.repeat(65) }, /^name must be 1 to 64/],
		['another platform', { platform: 'android' }, /^platform must be one of web, ios/],
		['an unknown field', { colour: 'red' }, /^colour is not a recognized field/],
	])('refuses %s, and leaves the code usable', async (_what, wrong, message) => {
		const code = await newCode();
		const { status, body } = await pair({ ...phone(code), ...wrong });
		expect(status).toBe(400);
		expect(body['message']).toMatch(message);
		expect((await pair(phone(code))).status).toBe(200);
	});

	it('allows ten attempts a minute from one address', async () => {
		for (let attempt = 0; attempt < 10; attempt += 1)
			expect((await pair(phone('AAAABBBB'))).status).toBe(404);
		const code = await newCode();
		server.clock.advance(20);
		const refused = await pair(phone(code));
		expect(refused.status).toBe(429);
		expect(refused.headers['retry-after']).toBe('40');
		expect(refused.body).toEqual({
			error: 'Too many attempts',
			message: expect.stringContaining('40 s'),
		});
		// Others are not held up, and the code was not used up.
		expect((await pair(phone('AAAABBBB'), '192.0.2.7')).status).toBe(404);
		server.clock.advance(40);
		expect((await pair(phone(code))).status).toBe(200);
	});
});

describe('a paired phone', () => {
	let server: TestServer;
	beforeEach(async () => {
		server = await startTestServer();
	});
	afterEach(() => server.close());

	const routes: Array<[Parameters<TestServer['phone']['call']>[0], string]> = [
		['GET', '/snapshot'],
		['GET', '/inbox'],
		['GET', '/events'],
		['POST', '/acknowledge'],
		['PUT', '/tokens'],
		['PUT', '/activities/some-activity/token'],
		['POST', '/taps'],
		['POST', '/dismissals'],
		['DELETE', ''],
	];

	it.each(routes)(
		'is answered with 401 at %s %s without its token, or with a wrong one',
		async (method, path) => {
			for (const authorization of [
				undefined,
				'Bearer',
				'Bearer wrong',
				`Bearer ${server.account.key}`,
				`Basic ${server.phone.token}`,
			]) {
				const response = await server.app.inject({
					method: method as 'GET',
					url: `/device${path}`,
					headers: { ...(authorization && { authorization }) },
				});
				expect(response.statusCode).toBe(401);
				expect(response.headers['www-authenticate']).toBe('Bearer');
				expect(response.json()).toEqual({ error: 'Unauthorized', message: expect.any(String) });
			}
		},
	);

	it('cannot call the public API with its token', async () => {
		expect(
			(await server.call('POST', '/badge', { badge: 1 }, { key: server.phone.token })).status,
		).toBe(401);
	});

	it('is locked out everywhere once it disconnects itself', async () => {
		expect(await server.phone.call('DELETE', '')).toMatchObject({
			status: 200,
			body: { success: true },
		});
		for (const [method, path] of routes)
			expect((await server.phone.call(method, path)).status).toBe(401);
		// The audience is empty now; the badge says why.
		expect((await server.call('POST', '/push-notification', { title: 'A' })).status).toBe(422);
		const { status, body } = await server.call('POST', '/badge', { badge: 1 });
		expect({ status, code: body['code'] }).toEqual({
			status: 422,
			code: 'badge_device_disconnected',
		});
	});

	it('leaves other phones alone when it disconnects itself', async () => {
		const other = await server.pairPhone();
		await server.phone.call('DELETE', '');
		expect(
			(await server.call('POST', '/push-notification', { title: 'A' })).body['devices_notified'],
		).toBe(1);
		expect(await other.inbox()).toHaveLength(1);
	});
});
