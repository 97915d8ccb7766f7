import { type AddressInfo, connect } from 'node:net';
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { sql } from 'kysely';
import { STATES } from '../support/samples.ts';
import { startTestServer, type TestServer } from '../support/server.ts';
import { waitFor, within } from '../support/wait.ts';

describe('health', () => {
	let server: TestServer;
	beforeEach(async () => {
		server = await startTestServer();
	});
	afterEach(() => server.close());

	const ask = async (url: string) => {
		const answer = await server.app.inject({ method: 'GET', url });
		return { status: answer.statusCode, body: answer.json<unknown>(), headers: answer.headers };
	};
	it.each([
		['/healthz', { status: 'ok' }],
		['/readyz', { status: 'ready' }],
	])('is shown at %s to anybody, without cookies, and never from a cache', async (url, body) => {
		const answer = await ask(url);
		expect(answer).toMatchObject({ status: 200, body, headers: { 'cache-control': 'no-store' } });
		expect(answer.headers['set-cookie']).toBeUndefined();
		expect((await server.app.inject({ method: 'HEAD', url })).statusCode).toBe(200);
	});

	it('is 503 with an explanation while the store takes no writes, though the process lives', async () => {
		await sql`alter table readiness rename to taken_away`.execute(server.context.database.read);
		expect(await ask('/readyz')).toMatchObject({
			status: 503,
			body: { error: 'Not ready', message: expect.stringContaining('storage') },
		});
		expect((await ask('/healthz')).status).toBe(200);
	});

	it('is checked by shared writes when many ask at the same time', async () => {
		const write = jest.spyOn(server.context.database, 'write');
		const answers = await Promise.all(Array.from({ length: 50 }, () => ask('/readyz')));
		expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
		expect(write.mock.calls.length).toBeGreaterThan(0);
		expect(write.mock.calls.length).toBeLessThan(50);
	});

	it('is refused with an explanation on an open connection once the server is stopping', async () => {
		await server.app.listen({ host: '127.0.0.1', port: 0 });
		const { port } = server.app.server.address() as AddressInfo;
		const socket = connect(port, '127.0.0.1');
		let text = '';
		socket.setEncoding('utf8').on('data', (data: string) => (text += data));
		const ended = new Promise((resolve) => socket.once('close', resolve));
		// A request waiting for the store keeps the connection open; the next is queued behind it.
		let goOn: () => void = () => undefined;
		const held = new Promise<void>((resolve) => (goOn = resolve));
		const holding = server.context.database.write(server.account.id, () => held);
		let requests = 0;
		server.app.server.on('request', () => (requests += 1));
		const body = JSON.stringify({ content_state: STATES.alert });
		socket.write(
			`PUT /api/live-activity/stream/s HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${server.account.key}\r\n` +
				`Content-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
		);
		await waitFor('the request', () => requests === 1);
		const closed = server.app.close();
		socket.write('GET /readyz HTTP/1.1\r\nHost: x\r\n\r\n');
		await waitFor('the next', () => requests === 2);
		goOn();
		await holding;
		await within('the answers', ended);
		await closed;
		const [first, second] = text.split(/(?=HTTP\/1\.1 \d)/);
		expect(first).toMatch(/^HTTP\/1\.1 200 /);
		expect(second).toMatch(
			/^HTTP\/1\.1 503 [^]*retry-after: 1[^]*"error":"Stopping"[^]*try again[^]*"code":"not_stored"/,
		);
	});
});
