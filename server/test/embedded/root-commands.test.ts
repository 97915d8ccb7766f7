import { chmodSync, chownSync, mkdirSync, readdirSync, statSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { temporaryDirectory } from '../support/directory.ts';
import { runCli, runJson, startProcess } from '../support/process.ts';

/** A user who owns nothing else. */
const STRANGER = 65_534;

const isRoot = process.geteuid?.() === 0;

let directory: ReturnType<typeof temporaryDirectory>;
beforeEach(() => {
	directory = temporaryDirectory();
});
afterEach(() => directory.remove());

if (!isRoot)
	process.stderr.write('Commands that root runs are not tested: the tests do not run as root.\n');
(isRoot ? describe : describe.skip)('a command that root runs', () => {
	it('leaves every file to the owner of the data, and to nobody else', async () => {
		// As systemd has it: a link into a folder that only root may enter.
		const behind = join(directory.path, 'private');
		mkdirSync(join(behind, 'beckon'), { recursive: true });
		chmodSync(behind, 0o700);
		chownSync(join(behind, 'beckon'), STRANGER, STRANGER);
		const data = join(directory.path, 'beckon');
		symlinkSync(join(behind, 'beckon'), data);
		const common = ['--data', data];
		const create = ['account', 'create', '--name', 'acme', '--owner', 'o@example.com'];
		await runJson([...create, ...common]);
		await runJson(['key', 'create', '--account', 'acme', '--name', 'n8n', ...common]);
		await runJson(['backup', '--to', join(data, 'copy.db'), ...common]);
		const ofRoot = join(directory.path, 'copy.db');
		await runJson(['backup', '--to', ofRoot, ...common]);
		expect(statSync(ofRoot).uid).toBe(0);
		await runJson(['restore', '--from', ofRoot, ...common]);
		const server = await startProcess(data);
		const files = () =>
			readdirSync(data).map((name) => {
				const { uid, mode } = statSync(join(data, name));
				return { name, uid, mode: (mode & 0o777).toString(8) };
			});
		const seen = files();
		expect(seen.length).toBeGreaterThan(6);
		expect(seen).toEqual(seen.map(({ name }) => ({ name, uid: STRANGER, mode: '600' })));
		server.signal('SIGTERM');
		await server.finished;
		expect(await runJson(['key', 'list', '--account', 'acme', ...common])).toHaveLength(1);
	});

	it('follows no link that the owner of the data has put there', async () => {
		const data = join(directory.path, 'data');
		mkdirSync(data);
		chownSync(data, STRANGER, STRANGER);
		const target = join(directory.path, 'elsewhere');
		symlinkSync(target, join(data, 'beckon.db'));
		const { code, stderr } = await runCli([
			...['account', 'create', '--name', 'acme', '--owner', 'o@example.com'],
			...['--data', data],
		]);
		expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringContaining('ENOENT') });
		expect(() => statSync(target)).toThrow('ENOENT');
	});
});
