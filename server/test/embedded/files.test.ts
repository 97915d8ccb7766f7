import { spawnSync } from 'node:child_process';
import { chmodSync, chownSync, existsSync, mkdirSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { temporaryDirectory } from '../support/directory.ts';
import { holdLines } from '../support/mistakes.ts';
import { runCli, runJson, runRefusedStart, startProcess } from '../support/process.ts';

const ACCOUNT = ['--account', 'acme'];
const CREATE = ['account', 'create', '--name', 'acme', '--owner', 'owner@example.com'];

describe('the files of an embedded store', () => {
	let directory: ReturnType<typeof temporaryDirectory>;
	let data: string;
	beforeEach(() => {
		directory = temporaryDirectory();
		data = join(directory.path, 'data');
	});
	afterEach(() => directory.remove());

	/** Also a start, which is refused. */
	const runCommandHere = ([name = '', ...args]: string[]) =>
		name === 'start' ? runRefusedStart(args) : runCli([name, ...args]);

	const modes = () =>
		Object.fromEntries(
			readdirSync(data).map((name) => [
				name,
				(statSync(join(data, name)).mode & 0o777).toString(8),
			]),
		);

	it.each<[string, string[]]>([
		['backup', ['backup', '--to', 'copy.db']],
		['account list', ['account', 'list']],
		['account set', ['account', 'set', ...ACCOUNT]],
		['account setup-link', ['account', 'setup-link', ...ACCOUNT]],
		['key list', ['key', 'list', ...ACCOUNT]],
		['device list', ['device', 'list', ...ACCOUNT]],
		['history list', ['history', 'list', ...ACCOUNT]],
		['check webpush', ['check', 'webpush']],
	])('are not made by %s, which says where it looked', async (_name, command) => {
		holdLines(
			await runCli([...command, '--data', data]),
			new RegExp(`^There is no store in ${data}\\. Check --data or BECKON_DATA`),
		);
		expect(existsSync(data)).toBe(false);
	});

	it('of another user are not said to be missing, but whose they are', async () => {
		await runJson([...CREATE, '--data', data]);
		const isRoot = process.geteuid?.() === 0;
		if (isRoot) process.seteuid?.(65_534);
		else chmodSync(data, 0);
		try {
			for (const command of [['account', 'list'], ['start'], ['restore', '--from', 'copy.db']]) {
				const { code, stderr } = await runCommandHere([...command, '--data', data]);
				expect({ command, code, stderr }).toEqual({
					...{ command, code: 1, stderr: expect.stringMatching(/^Cannot use the data directory/) },
				});
				if (isRoot) expect(stderr).toContain('It belongs to user 0, and this is user 65534');
			}
		} finally {
			if (isRoot) process.seteuid?.(0);
			else chmodSync(data, 0o700);
		}
	});

	if (process.geteuid?.() !== 0)
		process.stderr.write('Files of root are not tested: the tests do not run as root.\n');
	(process.geteuid?.() === 0 ? it : it.skip)(
		'that root has left in the folder of another user are told with what to run',
		async () => {
			await runJson([...CREATE, '--data', data]);
			const server = await startProcess(data);
			server.signal('SIGTERM');
			await server.finished;
			chownSync(directory.path, 65_534, 65_534);
			for (const name of ['', 'beckon.db']) chownSync(join(data, name), 65_534, 65_534);
			process.seteuid?.(65_534);
			try {
				holdLines(
					await runCommandHere(['start', '--data', data]),
					/^Cannot use the data directory .*server\.lock.* after: sudo chown -R 65534 /,
				);
			} finally {
				process.seteuid?.(0);
			}
		},
	);

	it('are readable by their owner only, in a folder that others may read, with any umask', async () => {
		mkdirSync(data, { mode: 0o755 });
		const umask = process.umask(0);
		try {
			await runJson([...CREATE, '--data', data]);
			const server = await startProcess(data);
			expect(new Set(Object.values(modes()))).toEqual(new Set(['600']));
			expect(Object.keys(modes())).toEqual(
				expect.arrayContaining(['address', 'beckon.db', 'beckon.db-wal', 'beckon.db-shm']),
			);
			server.signal('SIGTERM');
			await server.finished;
		} finally {
			process.umask(umask);
		}
	});

	it('are closed to others where an older program left them readable', async () => {
		await runJson([...CREATE, '--data', data]);
		spawnSync('chmod', ['644', join(data, 'beckon.db')]);
		await runJson(['account', 'list', '--data', data]);
		expect(modes()['beckon.db']).toBe('600');
	});

	it('have one server: a second refuses in one line, and changes nothing', async () => {
		const first = await startProcess(data);
		try {
			holdLines(
				await runCli(['start', '--data', data, '--port', '0']),
				/^A server is already running on the data directory .*\. Stop it first/,
			);
			expect((await fetch(`${first.url}/readyz`)).status).toBe(200);
		} finally {
			first.signal('SIGKILL');
			await first.finished;
		}
		const next = await startProcess(data);
		next.signal('SIGTERM');
		expect((await next.finished).code).toBe(0);
	});
});
