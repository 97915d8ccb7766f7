import { connect } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { temporaryDirectory } from '../support/directory.ts';
import { type ServerProcess, startProcess } from '../support/process.ts';

const HEAD = 'POST /console/api/login HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n';

describe('a client that never finishes its request', () => {
	const directory = temporaryDirectory();
	let server: ServerProcess;
	beforeAll(async () => {
		server = await startProcess(directory.path);
	});
	afterAll(async () => {
		server.signal('SIGKILL');
		await server.finished;
		directory.remove();
	});

	/** Sends `begin`, then a byte each second until the server closes the connection. @returns the answer */
	function trickle(begin: string): Promise<string> {
		return new Promise((resolve) => {
			let answer = '';
			const socket = connect(Number(new URL(server.url).port), '127.0.0.1');
			socket.write(begin);
			const timer = setInterval(() => socket.write('x'), 1_000);
			socket.setEncoding('utf8').on('data', (text: string) => (answer += text));
			// Written to after it was closed.
			socket.on('error', () => undefined);
			socket.once('close', () => {
				clearInterval(timer);
				resolve(answer);
			});
		});
	}

	it.each([
		['whose head never ends', 'GET /healthz HTTP/1.1\r\nHost: x\r\nX-Slow: '],
		['whose body never ends', `${HEAD}Content-Length: 60000\r\n\r\n{`],
		['of whose chunks none is the last', `${HEAD}Transfer-Encoding: chunked\r\n\r\nffff\r\n{`],
	])('is cut off with 408: one %s', async (_what, begin) => {
		expect(await trickle(begin)).toMatch(/^HTTP\/1\.1 408 /);
	});
});
