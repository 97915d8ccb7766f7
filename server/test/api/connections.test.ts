import { type AddressInfo, connect, Socket } from 'node:net';
import { setTimeout } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { FastifyInstance } from 'fastify';
import { limitConnections, maxConnections } from '../../src/http/connections.ts';
import { leaveOutOfPacked } from '../support/left-out.ts';
import { loggedApp } from '../support/logged-app.ts';
import { startTestServer, type TestServer } from '../support/server.ts';
import { waitFor, within } from '../support/wait.ts';

describe('the bound on connections', () => {
	let app: FastifyInstance;
	let lines: string[];
	let sockets: Socket[];
	beforeEach(() => {
		leaveOutOfPacked('an app of its own');
		sockets = [];
		({ app, lines } = loggedApp());
	});
	afterEach(async () => {
		for (const socket of sockets) socket.destroy();
		await app.close();
	});

	async function open(count: number): Promise<void> {
		const { port } = app.server.address() as AddressInfo;
		for (let n = 0; n < count; n += 1) {
			const socket = connect(port, '127.0.0.1').on('error', () => undefined);
			sockets.push(socket);
			await new Promise((resolve) => socket.once('connect', resolve));
		}
	}
	const left = () => sockets.filter(({ closed }) => !closed).length;

	it('leaves one client address half of them, and says so in the log', async () => {
		limitConnections(app, undefined, 8);
		await app.listen({ host: '127.0.0.1', port: 0 });
		await open(6);
		await waitFor('the rest to be refused', () => left() === 4);
		expect(lines.map((line) => JSON.parse(line))).toMatchObject([
			{ msg: 'connections are refused: too many are open', most: 8 },
		]);
		sockets[0]!.destroy();
		await waitFor('room', async () => {
			await open(1);
			return !sockets.at(-1)!.closed && left() === 4;
		});
	});

	it('counts the addresses of one /64 network as one, like the rate limits', async () => {
		limitConnections(app, undefined, 4);
		await app.listen({ host: '127.0.0.1', port: 0 });
		const from = (remoteAddress: string) => {
			const socket = Object.defineProperty(new Socket(), 'remoteAddress', {
				value: remoteAddress,
			});
			sockets.push(socket);
			app.server.emit('connection', socket);
			return socket.destroyed;
		};
		expect(['2001:db8::1', '2001:db8::2', '2001:db8::3'].map(from)).toEqual([false, false, true]);
		expect(from('2001:db8:0:1::1')).toBe(false);
	});

	it('leaves a trusted proxy all of them, and no more', async () => {
		limitConnections(app, (address) => address === '127.0.0.1', 8);
		await app.listen({ host: '127.0.0.1', port: 0 });
		await open(10);
		await waitFor('the rest to be refused', () => left() === 8);
		expect(lines).toHaveLength(1);
	});

	it.each([
		[1_048_576, 20_000],
		[1_024, 768],
		[256, 128],
	])('suits %i open files', (files, most) => {
		expect(maxConnections(files)).toBe(most);
	});
});

describe('open connections', () => {
	let server: TestServer;
	beforeEach(async () => {
		leaveOutOfPacked('listens itself');
		server = await startTestServer();
	});
	afterEach(() => server.close());
	const BODY = '{"title":"Backup done"}';
	const head = () =>
		'POST /api/push-notification HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n' +
		`Authorization: Bearer ${server.account.key}\r\nContent-Length: ${BODY.length}\r\n\r\n`;

	/** Uses a connection for `uses` requests, sends the head of another if asked, and begins to close the server. */
	async function closing({ uses, isHeadSent }: { uses: number; isHeadSent: boolean }) {
		await server.app.listen({ host: '127.0.0.1', port: 0 });
		const accepted = new Promise((resolve) => server.app.server.once('connection', resolve));
		const { port } = server.app.server.address() as AddressInfo;
		const socket = connect(port, '127.0.0.1').on('error', () => undefined);
		let received = '';
		socket.setEncoding('utf8').on('data', (text: string) => (received += text));
		const responses = () => received.match(/^HTTP\/1\.1 200 /gm)?.length ?? 0;
		const ended = new Promise((resolve) => socket.once('close', resolve));
		await accepted;
		for (let n = 1; n <= uses; n += 1) {
			socket.write(head() + BODY);
			await waitFor('a response', () => responses() === n);
		}
		if (isHeadSent) socket.write(head());
		return { socket, responses, ended: Promise.all([ended, server.app.close()]) };
	}

	it.each([
		['nothing', 0, false],
		['nothing', 1_100, false],
		['the head', 0, true],
	])(
		'still bring their first request, of which %s was sent, once the server closes and stalls for %i ms: a proxy cannot repeat it',
		async (_what, stalledMs, isHeadSent) => {
			const { socket, responses, ended } = await closing({ uses: 0, isHeadSent });
			// Longer than between two looks at the connections.
			await setTimeout(120);
			// After an immediate, the next look comes before anything is read.
			setImmediate(() => {
				socket.write(isHeadSent ? BODY : head() + BODY);
				Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, stalledMs);
			});
			await within('the end', ended);
			expect(responses()).toBe(1);
		},
	);

	it.each([
		['from which nothing comes', 0, false],
		['whose first request never ends', 0, true],
		['that were used', 1, false],
		['whose next request never ends', 1, true],
	])('do not delay the end of the server: those %s', async (_what, uses, isHeadSent) => {
		const { responses, ended } = await closing({ uses, isHeadSent });
		await within('the end', ended);
		expect(responses()).toBe(uses);
	});

	it('stay open while idle for longer than a proxy keeps them, of which Caddy does longest', async () => {
		const url = await server.app.listen({ host: '127.0.0.1', port: 0 });
		const { headers } = await fetch(`${url}/healthz`);
		const [, seconds] = /^timeout=(\d+)$/.exec(headers.get('keep-alive') ?? '') ?? [];
		expect(Number(seconds)).toBeGreaterThan(120);
	});
});
