import { type AddressInfo, connect } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startTestServer, type TestServer } from '../support/server.ts';

describe('what is hardly a request', () => {
	let server: TestServer;
	let port: number;
	beforeAll(async () => {
		server = await startTestServer();
		await server.app.listen({ host: '127.0.0.1', port: 0 });
		port = (server.app.server.address() as AddressInfo).port;
	});
	afterAll(() => server.close());

	/** Sends the bytes and returns all the server answers before it closes the connection. */
	const send = (bytes: string) =>
		new Promise<{ status: number; head: string; body: string }>((resolve, reject) => {
			const socket = connect(port, '127.0.0.1', () => socket.write(bytes));
			let answer = '';
			socket.setEncoding('utf8');
			socket.on('data', (data: string) => (answer += data));
			socket.on('error', reject);
			socket.on('close', () => {
				const [head = '', body = ''] = answer.split('\r\n\r\n');
				resolve({ status: Number(head.split(' ')[1]), head: head.toLowerCase(), body });
			});
		});
	const request = (path: string, headers: string[], body = '') =>
		send(
			[`POST ${path} HTTP/1.1`, 'Host: localhost', 'Connection: close', ...headers, '', body].join(
				'\r\n',
			),
		);
	const authorization = () => `Authorization: Bearer ${server.account.key}`;

	it.each<[string, number, string]>([
		['garbage', 400, 'hello\r\n\r\n'],
		[
			'a header too large',
			431,
			`POST /api/badge HTTP/1.1\r\nHost: x\r\nX-Long: ${'x'.repeat(20_000)}\r\n\r\n`,
		],
		[
			'two lengths that differ',
			400,
			'POST /api/badge HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab',
		],
	])('is answered in JSON: %s → %i', async (_what, status, bytes) => {
		const answer = await send(bytes);
		expect(answer.status).toBe(status);
		expect(answer.head).toContain('content-type: application/json');
		expect(JSON.parse(answer.body)).toEqual({
			error: expect.any(String),
			message: expect.any(String),
		});
	});

	it('is refused with 413 by its length alone, before the body has come', async () => {
		const { status, body } = await request('/api/badge', [
			authorization(),
			'Content-Type: application/json',
			'Content-Length: 1000000',
		]);
		expect(status).toBe(413);
		expect(JSON.parse(body)).toMatchObject({
			error: expect.any(String),
			message: expect.stringContaining('64 KiB'),
		});
	});

	it('is refused with 413 when a body of unknown length grows too large', async () => {
		const chunk = `10000\r\n${' '.repeat(65_536)}\r\n`;
		const { status } = await request(
			'/api/badge',
			[authorization(), 'Content-Type: application/json', 'Transfer-Encoding: chunked'],
			`${chunk}${chunk}0\r\n\r\n`,
		);
		expect(status).toBe(413);
	});

	it('is refused without a key before its body is read', async () => {
		const { status } = await request('/api/badge', [
			'Content-Type: application/json',
			'Content-Length: 50000',
		]);
		expect(status).toBe(401);
	});

	it.each<[string, string[]]>([
		['too large', ['Content-Type: application/json', 'Content-Length: 1000000']],
		['of a wrong type', ['Content-Type: text/plain', 'Content-Length: 5']],
		['not JSON', ['Content-Type: application/json', 'Content-Length: 5']],
	])(
		'is answered with 404 where there is no route, though its body is %s',
		async (_what, headers) => {
			for (const path of ['/api/nowhere', '/device/nowhere', '/console/api/nowhere', '/nowhere']) {
				const answer = await request(path, headers, 'hello');
				expect({ path, status: answer.status }).toEqual({ path, status: 404 });
				expect(JSON.parse(answer.body).error).toBe('Not Found');
			}
		},
	);

	it('is told the rule of a path parameter, however long that is', async () => {
		for (const key of ['k'.repeat(4_000), 'k'.repeat(12_000)]) {
			const answer = await request(`/api/metrics/${key}/value`, [
				authorization(),
				'Content-Length: 0',
			]);
			expect(answer.status).toBe(400);
			expect(JSON.parse(answer.body).message).toMatch(/^key must .*64/);
		}
	});
});
