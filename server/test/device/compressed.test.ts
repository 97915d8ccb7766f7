import { gunzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startTestServer, type TestServer } from '../support/server.ts';

describe('the JSON that a phone reads', () => {
	let server: TestServer;
	beforeAll(async () => {
		server = await startTestServer();
		for (let n = 0; n < 20; n += 1)
			await server.call('POST', '/push-notification', {
				title: `Order ${n}`,
				message: 'm'.repeat(99),
			});
	});
	afterAll(() => server.close());

	const read = (encoding: string | undefined, path = '/device/snapshot') =>
		server.app.inject({
			method: 'GET',
			url: path,
			headers: {
				authorization: `Bearer ${server.phone.token}`,
				...(encoding !== undefined && { 'accept-encoding': encoding }),
			},
		});

	it('is compressed where that is worth it', async () => {
		const plain = await read(undefined);
		const { headers, rawPayload } = await read('gzip, deflate, br');
		expect(headers).toMatchObject({ 'content-encoding': 'gzip', vary: 'accept-encoding' });
		const { notifications } = JSON.parse(gunzipSync(rawPayload).toString());
		expect(notifications).toEqual(plain.json().notifications);
		expect(rawPayload.length).toBeLessThan(plain.rawPayload.length / 3);
		expect(headers['content-length']).toBe(String(rawPayload.length));
	});

	it.each([undefined, 'br', 'gzip;q=0', 'gzip;q=0.0, br'])('is not with %s', async (encoding) => {
		const { headers } = await read(encoding);
		expect(headers['content-encoding']).toBeUndefined();
		expect(headers['vary']).toBe('accept-encoding');
	});

	it('is not where it is short', async () => {
		expect((await read('gzip', '/device/quiet')).headers['content-encoding']).toBeUndefined();
	});
});
