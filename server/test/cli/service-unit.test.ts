import { spawnSync } from 'node:child_process';
import { chmodSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { readEnvironment } from '../../src/cli/environment.ts';
import { temporaryDirectory } from '../support/directory.ts';
import { runCli } from '../support/process.ts';

/** A user who owns nothing else. */
const STRANGER = 65_534;

const isRoot = process.geteuid?.() === 0;

let directory: ReturnType<typeof temporaryDirectory>;
beforeEach(() => {
	directory = temporaryDirectory();
});
afterEach(() => directory.remove());

describe('beckon-server unit', () => {
	const printed = async (...options: string[]) => {
		const { code, stdout, stderr } = await runCli(['unit', ...options]);
		expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
		return stdout;
	};

	it('starts this program, with data in a folder of its own, and reads the settings of commands', async () => {
		const lines = (await printed()).split('\n');
		const [start = ''] = lines.filter((line) => line.startsWith('ExecStart='));
		const program = [process.execPath, ...process.execArgv, process.argv[1]].join(' ');
		expect(start).toBe(`ExecStart=${program} start`);
		for (const line of [
			'DynamicUser=yes',
			'StateDirectory=beckon',
			'Environment=BECKON_DATA=/var/lib/beckon',
			'EnvironmentFile=-/etc/beckon/beckon.env',
			'WantedBy=multi-user.target',
		])
			expect(lines).toContain(line);
	});

	it('is what systemd reads without a complaint, with and without the socket', async () => {
		if (spawnSync('systemd-analyze', ['--version']).error) {
			process.stdout.write('systemd-analyze is not installed: the units are not verified by it\n');
			return;
		}
		const units = { 'beckon.service': await printed(), 'beckon.socket': await printed('--socket') };
		const files = Object.entries(units).map(([name, text]) => {
			const file = join(directory.path, name);
			// Jest's options are no program.
			writeFileSync(file, text.replace(/^ExecStart=.*$/m, `ExecStart=${process.execPath} start`));
			return file;
		});
		const verified = spawnSync('systemd-analyze', ['verify', '--man=no', ...files], {
			encoding: 'utf8',
		});
		const complaints = verified.stderr.split('\n').filter((line) => line.includes('beckon'));
		expect({ complaints, status: verified.status }).toEqual({ complaints: [], status: 0 });
	});
});

describe('the settings of the service', () => {
	const file = () => join(directory.path, 'beckon.env');

	it('are those of commands too, unless the environment has others', () => {
		const { BECKON_DATA: before } = process.env;
		process.env['BECKON_HOST'] = '::1';
		try {
			writeFileSync(
				file(),
				'# ours\nBECKON_PUBLIC_URL="https://beckon.example.com"\nBECKON_HOST=a\n',
			);
			expect(readEnvironment(file())).toMatchObject({
				BECKON_PUBLIC_URL: 'https://beckon.example.com',
				BECKON_HOST: '::1',
				BECKON_DATA: before ?? '/var/lib/beckon',
			});
		} finally {
			delete process.env['BECKON_HOST'];
		}
	});

	it('are not those of a machine without the service, or of a user who may not read them', () => {
		expect(readEnvironment(file())).toBe(process.env);
		expect(readEnvironment(join(file(), 'below'))).toBe(process.env);
		writeFileSync(file(), 'BECKON_PORT=1');
		chmodSync(file(), 0);
		if (isRoot) process.seteuid?.(STRANGER);
		try {
			expect(readEnvironment(file())).toBe(process.env);
		} finally {
			if (isRoot) process.seteuid?.(0);
		}
	});
});
