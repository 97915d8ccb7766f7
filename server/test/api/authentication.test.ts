import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { PUBLISHED, UNLIMITED } from '../support/samples.ts';
import { type Answer, startTestServer, type TestServer } from '../support/server.ts';

describe('authentication of the public API', () => {
	let server: TestServer;
	beforeAll(async () => {
		server = await startTestServer({ settings: UNLIMITED });
	});
	afterAll(() => server.close());

	const knock = (authorization?: string): Promise<Answer> =>
		server.call(
			'POST',
			'/badge',
			{ badge: 1 },
			{ key: null, headers: { ...(authorization !== undefined && { authorization }) } },
		);

	const revokedKey = async (): Promise<string> => {
		const key = await server.addKey(server.account.id);
		await server.revokeKey(server.account.id, key);
		return key;
	};

	it.each([
		['no Authorization header', undefined],
		['an empty header', ''],
		['a scheme without a key', 'Bearer'],
		['a scheme and only spaces', 'Bearer   '],
		['another scheme', 'Basic b3duZXI6c2VjcmV0'],
		['a bare key without a scheme', 'bk_0123456789012345678901234567890123456789012'],
		['two keys', 'Bearer one two'],
		['a key with a forbidden character', 'Bearer bk_é'],
		['an unknown key', 'Bearer bk_0123456789012345678901234567890123456789012'],
	])('refuses %s with 401 and WWW-Authenticate', async (_what, authorization) => {
		const { status, body, headers } = await knock(authorization);
		expect(status).toBe(401);
		expect(body).toEqual({
			error: 'Unauthorized',
			message: expect.stringContaining('Authorization: Bearer'),
		});
		expect(headers['www-authenticate']).toBe('Bearer');
	});

	it('refuses a revoked key from its revocation on', async () => {
		const key = await server.addKey(server.account.id);
		expect((await knock(`Bearer ${key}`)).status).toBe(200);
		await server.revokeKey(server.account.id, key);
		expect((await knock(`Bearer ${key}`)).status).toBe(401);
	});

	it('gives an unknown and a revoked key the same body', async () => {
		const unknown = await knock(`Bearer bk_${'x'.repeat(43)}`);
		const revoked = await knock(`Bearer ${await revokedKey()}`);
		expect(revoked.body).toEqual(unknown.body);
	});

	it('takes the scheme in any case', async () => {
		expect((await knock(`bearer ${server.account.key}`)).status).toBe(200);
	});

	it.each(PUBLISHED)('guards %s %s, before its body is looked at', async (method, path) => {
		const { status } = await server.call(method, path, 'not JSON', { key: null });
		expect(status).toBe(401);
	});

	it('does not take the token of a phone for an API key', async () => {
		expect((await knock(`Bearer ${server.phone.token}`)).status).toBe(401);
	});

	it('lets one key use every feature', async () => {
		const answers = [
			await server.call('POST', '/badge', { badge: 1 }),
			await server.call('POST', '/push-notification', { title: 'Hello' }),
			await server.call('PUT', '/live-activity/stream/s', {
				content_state: { type: 'alert', title: 'A', message: 'B' },
			}),
			await server.call('POST', '/metrics/none/value', { value: 1 }),
		];
		expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 404]);
	});

	it('keeps answers to a key out of caches', async () => {
		expect((await knock(`Bearer ${server.account.key}`)).headers['cache-control']).toBe('no-store');
	});
});
