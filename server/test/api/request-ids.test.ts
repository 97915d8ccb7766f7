import { afterEach, describe, expect, it } from '@jest/globals';
import { sql } from 'kysely';
import { startTestServer, type TestServer } from '../support/server.ts';

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

describe('the id of a request', () => {
	let server: TestServer;
	afterEach(() => server.close());

	const start = async (proxies = '') => {
		server = await startTestServer({ settings: { BECKON_TRUSTED_PROXIES: proxies } });
	};
	const ask = (headers: Record<string, string> = {}, from = '192.0.2.1') =>
		server.call('POST', '/badge', { badge: 1 }, { headers, from });

	it('is new for each request, and is in every answer', async () => {
		await start();
		const answers = [
			await ask(),
			await server.call('POST', '/badge', {}),
			await server.call('POST', '/badge', {}, { key: null }),
			await server.call('GET', '/nowhere'),
		];
		const ids = answers.map(({ headers }) => String(headers['x-request-id']));
		for (const id of ids) expect(id).toMatch(UUID);
		expect(new Set(ids).size).toBe(ids.length);
	});

	it('is what a trusted proxy calls it', async () => {
		await start('192.0.2.0/24');
		const { headers } = await ask({ 'x-request-id': 'a1.B_2-c' });
		expect(headers['x-request-id']).toBe('a1.B_2-c');
	});

	it('is not what anybody else calls it', async () => {
		await start('192.0.2.0/24');
		const { headers } = await ask({ 'x-request-id': 'a1' }, '198.51.100.1');
		expect(headers['x-request-id']).toMatch(UUID);
	});

	it.each(['', 'a b', 'ä', '<script>', 'x'.repeat(65), '{"a":1}'])(
		'is not taken from a header that is not well-formed: %j',
		async (id) => {
			await start('192.0.2.0/24');
			const { headers } = await ask({ 'x-request-id': id });
			expect(headers['x-request-id']).toMatch(UUID);
		},
	);

	it('is in the body of an answer that says that something broke', async () => {
		await start();
		await sql`alter table history rename to taken_away`.execute(server.context.database.read);
		const { status, body, headers } = await ask();
		expect(status).toBeGreaterThanOrEqual(500);
		expect(body['request_id']).toBe(headers['x-request-id']);
	});
});
