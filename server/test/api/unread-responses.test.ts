import { once } from 'node:events';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { Readable } from 'node:stream';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { FastifyInstance } from 'fastify';
import { limitRequests } from '../../src/http/connections.ts';
import { cutUnread, type UnreadBounds } from '../../src/http/unread-responses.ts';
import { leaveOutOfPacked } from '../support/left-out.ts';
import { loggedApp } from '../support/logged-app.ts';
import { waitFor, within } from '../support/wait.ts';

/** More than the system takes of one answer that nobody reads. */
const LARGE = 40_000_000;

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

/** A client that reads nothing until it is told to. @returns both ends of its connection */
async function open(): Promise<{ client: Socket; server: Socket }> {
	const opened = once(app.server, 'connection');
	const { port } = app.server.address() as AddressInfo;
	const client = connect(port, '127.0.0.1');
	client.pause().on('error', () => undefined);
	sockets.push(client);
	const [server] = (await opened) as [Socket];
	return { client, server };
}

const get = (path: string) => `GET ${path} HTTP/1.1\r\nHost: x\r\n\r\n`;

function ahead(count: number): string {
	return Array.from({ length: count }, (_, n) => get(`/held/${n}`)).join('');
}

describe('requests sent ahead of the answers', () => {
	let begun: string[];
	let held: Array<() => void>;
	const start = async (most: { inProgress: number; waiting: number }) => {
		begun = [];
		held = [];
		limitRequests(app, most);
		app.get<{ Params: { n: string } }>('/held/:n', async ({ params }) => {
			begun.push(params.n);
			await new Promise<void>((resolve) => held.push(resolve));
			return `answer ${params.n};`;
		});
		app.get('/now', () => 'now');
		await app.listen({ host: '127.0.0.1', port: 0 });
	};
	const numbers = (count: number) => Array.from({ length: count }, (_, n) => String(n));

	it('wait until others of the connection are answered, and lose no answer', async () => {
		await start({ inProgress: 8, waiting: 100 });
		const { client } = await open();
		client.write(ahead(20));
		await waitFor('eight to begin', () => begun.length === 8);
		// Another connection is served meanwhile, however often.
		const other = await open();
		other.client.write(get('/now'));
		await within('another answer', once(other.client.resume(), 'data'));
		expect(begun).toEqual(numbers(8));

		let text = '';
		client.resume().on('data', (data) => (text += String(data)));
		await waitFor('all answers', () => {
			held.shift()?.();
			expect(held.length).toBeLessThanOrEqual(8);
			return text.includes('answer 19;');
		});
		expect([...text.matchAll(/answer (\d+);/g)].map(([, n]) => n)).toEqual(numbers(20));
	});

	it('are dropped when the client hangs up', async () => {
		await start({ inProgress: 2, waiting: 100 });
		const { client, server } = await open();
		client.write(ahead(20));
		await waitFor('two to begin', () => begun.length === 2);
		const ended = once(server, 'close');
		client.destroy();
		await within('the end', ended);
		for (const answer of held) answer();
		const other = await open();
		other.client.write(get('/now'));
		await within('another answer', once(other.client.resume(), 'data'));
		expect(begun).toEqual(numbers(2));
	});

	it('cost the connection beyond a bound', async () => {
		await start({ inProgress: 2, waiting: 5 });
		const { client } = await open();
		client.resume().write(ahead(8));
		await within('the end', once(client, 'close'));
	});

	it('are not what a proxy does: its connection serves request after request', async () => {
		await start({ inProgress: 1, waiting: 0 });
		const { client } = await open();
		client.resume();
		for (let count = 0; count < 500; count += 1) {
			const answered = once(client, 'data');
			client.write(get('/now'));
			expect(String(await within('an answer', answered))).toMatch(/^HTTP\/1\.1 200 /);
		}
	});
});

describe('an answer that its client does not read', () => {
	let time: number;
	let sweeps: number;
	let answered: number;
	let endSlow: () => void;
	const start = async (bounds: Partial<UnreadBounds> = {}) => {
		[time, sweeps, answered] = [0, 0, 0];
		const now = () => {
			sweeps += 1;
			return time;
		};
		cutUnread(app, limitRequests(app), { sweepMs: 5, now, ...bounds });
		app.get<{ Params: { bytes: string } }>('/whole/:bytes', ({ params }) =>
			Buffer.alloc(Number(params.bytes), 'x'),
		);
		const slow = new Promise<string>((resolve) => (endSlow = () => resolve('done')));
		app.get('/slow', () => slow);
		app.addHook('onSend', async () => void (answered += 1));
		app.get('/events', (_request, reply) =>
			reply.type('text/event-stream').send(
				Readable.from(
					(function* events() {
						for (;;) yield `data: ${'x'.repeat(60_000)}\n\n`;
					})(),
				),
			),
		);
		await app.listen({ host: '127.0.0.1', port: 0 });
	};
	/** Waits until every connection has been looked at again. */
	const swept = () => {
		const before = sweeps;
		return waitFor('two sweeps', () => sweeps >= before + 2);
	};
	/** Bytes of one large write that the system has not taken. */
	const queued = (server: Socket) =>
		(server as unknown as { _handle: { writeQueueSize: number } })._handle.writeQueueSize;

	it.each([
		['one', `/whole/${LARGE}`],
		['an event stream', '/events'],
	])('costs the connection after 30 s without progress: %s', async (_what, path) => {
		await start();
		const { client, server } = await open();
		client.write(get(path));
		await waitFor('output', () => server.writableLength > 0);
		await swept();
		time += 29_999;
		await swept();
		expect(server.destroyed).toBe(false);
		time += 1;
		await waitFor('the end', () => server.destroyed);
		expect(lines.map((line) => JSON.parse(line))).toMatchObject([
			{ msg: 'connections are cut: responses are not read', cut: 1 },
		]);
	});

	it('is sent on for as long as the client reads a kilobyte a second', async () => {
		await start();
		const { client, server } = await open();
		client.write(get(`/whole/${LARGE}`));
		await waitFor('output', () => server.writableLength > 0);
		let received = 0;
		for (let step = 0; step < 4; step += 1) {
			const before = queued(server);
			await waitFor('the client to read', () => {
				received += (client.read() as Buffer | null)?.length ?? 0;
				return queued(server) < before;
			});
			await swept();
			time += 29_999;
			await swept();
			expect(server.destroyed).toBe(false);
		}
		client.resume().on('data', (data: Buffer) => (received += data.length));
		await waitFor('the rest', () => received > LARGE);
		await swept();
		time += 30_000;
		await swept();
		expect(server.destroyed).toBe(false);
	});

	it('costs the connection when less than enough of it is read in 30 s', async () => {
		await start({ leastBytes: LARGE });
		const { client, server } = await open();
		client.write(get(`/whole/${LARGE}`));
		await waitFor('output', () => server.writableLength > 0);
		await swept();
		time += 15_000;
		await swept();
		const before = queued(server);
		await waitFor('the client to read', () => {
			client.read();
			return queued(server) < before;
		});
		await swept();
		time += 14_999;
		await swept();
		expect(server.destroyed).toBe(false);
		time += 1;
		await waitFor('the end', () => server.destroyed);
	});

	it('does not end a request that takes long, nor the answers that wait for its own', async () => {
		await start();
		const { client, server } = await open();
		client.write(get('/slow') + get('/whole/1000'));
		await waitFor('the second to be answered', () => answered === 1);
		await swept();
		time += 300_000;
		await swept();
		const first = once(client.resume(), 'data');
		endSlow();
		expect(String(await within('the answer', first))).toContain('done');
		expect(server.destroyed).toBe(false);
	});

	it('costs the connections with the most of it, beyond 64 MB in all', async () => {
		await start();
		const small = await open();
		small.client.write(get(`/whole/${LARGE / 2}`));
		const [first, second] = [await open(), await open()];
		first.client.write(get(`/whole/${LARGE}`));
		await waitFor('output', () => first.server.writableLength > 0);
		await swept();
		expect([first, small].map(({ server }) => server.destroyed)).toEqual([false, false]);
		second.client.write(get(`/whole/${LARGE + 1_000}`));
		await waitFor('the end', () => second.server.destroyed);
		await swept();
		expect([first, small].map(({ server }) => server.destroyed)).toEqual([false, false]);
	});

	it('counts with the requests that wait behind it', async () => {
		await start({ mostBytes: 1_000_000 });
		const { client, server } = await open();
		client.write(get('/events').repeat(500));
		await waitFor('the end', () => server.destroyed);
	});
});
