import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { networkInterfaces } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { sql } from 'kysely';
import { openDatabase } from '../../src/store/open.ts';
import { temporaryDirectory } from '../support/directory.ts';
import { freePort } from '../support/free-port.ts';
import { runCli, runJson, startProcess } from '../support/process.ts';
import { isOnPostgres, removeStore, storeSettings } from '../support/store.ts';

const MAIN = join(import.meta.dirname, '../../src/main.ts');

/** Never calls back, as if a connection could not be ended. */
const CLOSING_HANGS =
	'--import=data:text/javascript,import { Server } from "node:http"; Server.prototype.close = () => undefined;';

describe('a start on all addresses', () => {
	it('says where to open it, in its output and to other commands', async () => {
		if (
			!Object.values(networkInterfaces())
				.flat()
				.some((one) => one?.family === 'IPv6')
		) {
			process.stdout.write(
				'There is no IPv6 here: listening on all of its addresses is not tested\n',
			);
			return;
		}
		const directory = temporaryDirectory();
		const settings = { BECKON_HOST: '::' };
		const server = await startProcess(directory.path, { settings });
		const create = ['account', 'create', '--name', 'acme', '--owner', 'o@example.com'];
		const link = ['account', 'setup-link', '--account', 'acme'];
		try {
			expect(server.url).toMatch(/^http:\/\/localhost:\d+$/);
			expect((await fetch(`${server.url}/readyz`)).status).toBe(200);
			await runJson([...create, '--data', directory.path]);
			const printed = await runJson([...link, '--data', directory.path]);
			if (!isOnPostgres) expect(printed.link).toContain(`${server.url}/console#`);
		} finally {
			server.signal('SIGTERM');
			await server.finished;
			directory.remove();
		}
	});
});

describe('a start by a service manager', () => {
	it.each([
		[
			'a file',
			'3</dev/null',
			'1',
			/^The file descriptor from the service manager \(LISTEN_FDS\) is not a socket\./,
		],
		[
			'nothing',
			'3>&-',
			'1',
			/^The file descriptor from the service manager \(LISTEN_FDS\) is not a socket\./,
		],
		['two sockets', '', '2', /^The service manager passed 2 sockets \(LISTEN_FDS\)/],
	])('that passes %s says so', async (_what, redirection, count, message) => {
		const directory = temporaryDirectory();
		const child = spawn(
			'bash',
			[
				...['-c', `LISTEN_PID=$$ LISTEN_FDS=${count} exec "$@" ${redirection}`, '-'],
				...[process.execPath, MAIN, 'start', '--data', directory.path],
			],
			{ env: { ...process.env, NODE_OPTIONS: '' }, stdio: ['ignore', 'ignore', 'pipe'] },
		);
		try {
			const [stderr, [code]] = await Promise.all([text(child.stderr), once(child, 'close')]);
			expect(stderr).toMatch(message);
			expect([code, stderr.trim().split('\n')]).toEqual([1, [expect.any(String)]]);
		} finally {
			directory.remove();
		}
	});
});

describe('a start that fails after the server has begun to listen', () => {
	let directory: ReturnType<typeof temporaryDirectory>;
	beforeEach(async () => {
		directory = temporaryDirectory();
		const { BECKON_DATABASE_URL: url = '' } = await storeSettings(directory.path);
		const database = await openDatabase({ directory: directory.path, url });
		// Needed for the setup link, the next step.
		await sql`alter table join_links rename to away`.execute(database.read);
		await database.close();
	});
	afterEach(async () => {
		directory.remove();
		await removeStore(directory.path);
	});

	it('ends the program, with the reason', async () => {
		const port = await freePort();
		const args = ['start', '--data', directory.path, '--port', String(port)];
		const { code, stdout, stderr } = await runCli(args);
		expect({ code, stdout, stderr }).toEqual({
			code: 1,
			stdout: '',
			stderr: expect.stringContaining('join_links'),
		});
		await expect(fetch(`http://127.0.0.1:${port}/readyz`)).rejects.toThrow('fetch failed');
	});

	it('ends the program even if closing what was opened hangs', async () => {
		const started = startProcess(directory.path, { nodeOptions: [CLOSING_HANGS] });
		await expect(started).rejects.toThrow(/^The server exited with 1: .*join_links/s);
	});
});
