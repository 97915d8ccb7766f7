import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startTestServer, type TestServer } from '../support/server.ts';

describe('POST /badge', () => {
	let server: TestServer;
	beforeAll(async () => {
		server = await startTestServer();
	});
	afterAll(() => server.close());

	it('should set the badge of every device of the account', async () => {
		const { status, body } = await server.call('POST', '/badge', { badge: 7 });
		expect(status).toBe(200);
		expect(body).toMatchObject({
			success: true,
			badge: 7,
			devices_updated: 1,
			users_updated: 1,
			effective_channel_slugs: null,
		});
		expect((await server.phone.snapshot()).badge).toBe(7);
	});
});
