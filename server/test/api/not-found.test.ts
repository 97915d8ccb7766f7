import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startTestServer, type TestServer } from '../support/server.ts';

/** As browsers send it with an address that somebody typed. */
const BROWSER = { accept: 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8' };

let server: TestServer;
beforeAll(async () => {
	server = await startTestServer();
});
afterAll(() => server.close());

const get = (url: string, headers: Record<string, string>) =>
	server.app.inject({ method: 'GET', url, headers });

describe('an address with nothing behind it', () => {
	it('shows a browser the way to the pages, and nothing of the address', async () => {
		const { statusCode, headers, body } = await get('/consol<script>?<script>', BROWSER);
		expect(statusCode).toBe(404);
		expect(headers['content-type']).toBe('text/html; charset=utf-8');
		expect(headers['content-security-policy']).toContain("default-src 'none'");
		expect(body).toContain('<a href="/console">');
		expect(body).toContain('<a href="/phone">');
		expect(body).not.toContain('script');
		// Its looks are files of the phone's page, where the policy lets them come from.
		expect(headers['content-security-policy']).toContain("style-src 'self'");
		for (const [, file] of body.matchAll(/(?:href|src)="\/phone\/([^"]+)"/g))
			expect(existsSync(join(import.meta.dirname, '../../web/phone/public', file!))).toBe(true);
		expect(body).toContain('href="/phone/not-found.css"');
	});

	it.each(['/api/push', '/device/nothing', '/console/api/nothing', '/ntfy/a/b/c'])(
		'answers JSON below %s, even to a browser',
		async (url) => {
			const { statusCode, headers } = await get(url, BROWSER);
			expect(statusCode).toBe(404);
			expect(headers['content-type']).toContain('application/json');
		},
	);

	it('answers a program with JSON that names the address', async () => {
		const { statusCode, body } = await get('/push-notification', { accept: '*/*' });
		expect(statusCode).toBe(404);
		expect(JSON.parse(body)).toEqual({
			error: 'Not Found',
			message: 'No route for GET /push-notification. The base URL of the API ends in /api.',
		});
	});
});
