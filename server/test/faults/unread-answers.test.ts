import { once } from 'node:events';
import { readdirSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { temporaryDirectory } from '../support/directory.ts';
import { type ServerProcess, startProcess } from '../support/process.ts';
import { waitFor, within } from '../support/wait.ts';

/** The largest file that anybody may fetch: 1.7 MB. */
const FILE = '/api/docs/static/swagger-ui-bundle.js';

/** What the system itself lets the server have. */
const OPEN_FILES = 1_024;

describe('clients that ask ahead and read nothing', () => {
	let directory: ReturnType<typeof temporaryDirectory>;
	let server: ServerProcess;
	let sockets: Socket[];
	beforeEach(async () => {
		directory = temporaryDirectory();
		sockets = [];
		server = await startProcess(directory.path, { openFiles: OPEN_FILES });
	});
	afterEach(async () => {
		for (const socket of sockets) socket.destroy();
		server.signal('SIGKILL');
		await server.finished;
		directory.remove();
	});

	function ask(times: number): Socket {
		const socket = connect(Number(new URL(server.url).port), '127.0.0.1');
		socket.pause().on('error', () => undefined);
		socket.write(`GET ${FILE} HTTP/1.1\r\nHost: x\r\n\r\n`.repeat(times));
		sockets.push(socket);
		return socket;
	}

	it('leave the server the files that it needs', async () => {
		for (let client = 0; client < 300; client += 1) ask(client < 5 ? 1_100 : 40);
		// Those with the most output may be cut before they notice the first of it.
		const begun = (socket: Socket) =>
			new Promise((resolve) => socket.once('readable', resolve).once('close', resolve));
		await Promise.all(sockets.map((socket) => within('a beginning', begun(socket))));
		expect(await ready()).toBe(200);
		expect(readdirSync(`/proc/${server.pid}/fd`).length).toBeLessThan(400);
		expect(server.log()).not.toContain('EMFILE');
	});

	it('are cut after 30 s, and others are not', async () => {
		const idle = connect(Number(new URL(server.url).port), '127.0.0.1');
		sockets.push(idle);
		const answer = async () => {
			idle.write('GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n');
			return String(await within('an answer', once(idle, 'data')));
		};
		expect(await answer()).toMatch(/^HTTP\/1\.1 200 /);
		const unread = ask(20);
		await waitFor('the log', () => server.log().includes('responses are not read'));
		await waitFor('the end', () => ended(unread));
		expect(await answer()).toMatch(/^HTTP\/1\.1 200 /);
	});

	async function ready(): Promise<number> {
		return (await fetch(`${server.url}/readyz`)).status;
	}

	/** A client that does not read learns of the end when it writes. */
	function ended(socket: Socket): boolean {
		if (!socket.destroyed) socket.write('x');
		return socket.destroyed;
	}
});
