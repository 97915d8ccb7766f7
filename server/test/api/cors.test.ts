import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { PUBLISHED } from '../support/samples.ts';
import { startTestServer, type TestServer } from '../support/server.ts';

const ORIGIN = 'https://dashboard.example.com';

describe('calls from a browser', () => {
	let server: TestServer;
	beforeAll(async () => {
		server = await startTestServer({ settings: { BECKON_RATE_PER_ADDRESS: '30' } });
	});
	afterAll(() => server.close());

	const preflight = (path: string, method: string) =>
		server.call('OPTIONS', path, undefined, {
			key: null,
			headers: {
				origin: ORIGIN,
				'access-control-request-method': method,
				'access-control-request-headers': 'authorization,content-type',
			},
		});

	it.each(PUBLISHED)(
		'are allowed by the preflight of %s %s, without a key',
		async (method, path) => {
			const { status, headers } = await preflight(path, method);
			expect(status).toBe(204);
			expect(headers['access-control-allow-origin']).toBe('*');
			expect(String(headers['access-control-allow-methods'])).toContain(method);
			expect(String(headers['access-control-allow-headers']).toLowerCase()).toContain(
				'authorization',
			);
			expect(String(headers['access-control-allow-headers'])).toContain(
				'Idempotency-Key, X-Sequence-ID, TTL',
			);
		},
	);

	it('do not have their preflights counted', async () => {
		for (let sent = 0; sent < 40; sent += 1)
			expect((await preflight('/badge', 'POST')).status).toBe(204);
		const { headers } = await server.call('POST', '/badge', { badge: 1 });
		expect(headers['ratelimit']).toContain('"public-api-ip:badges";r=29');
	});

	it('have an OPTIONS request that is not a preflight answered without an error', async () => {
		const { status } = await server.call('OPTIONS', '/badge', undefined, { key: null });
		expect(status).toBeLessThan(300);
	});

	it.each([
		[200, {}],
		[401, { key: null }],
	])('can read the headers of an answer %i', async (expected, options) => {
		const { status, headers } = await server.call(
			'POST',
			'/badge',
			{ badge: 1 },
			{ ...options, headers: { origin: ORIGIN } },
		);
		expect(status).toBe(expected);
		expect(headers['access-control-allow-origin']).toBe('*');
		const exposed = String(headers['access-control-expose-headers']).toLowerCase().split(/, */);
		expect(exposed).toEqual(
			expect.arrayContaining([
				'ratelimit',
				'ratelimit-policy',
				'retry-after',
				'www-authenticate',
				'beckon-idempotency',
			]),
		);
	});
});
