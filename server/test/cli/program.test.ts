import { execFile } from 'node:child_process';
import { cpSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { temporaryDirectory } from '../support/directory.ts';

const PROGRAM = join(import.meta.dirname, '../../bin/beckon-server.js');

/** The program behind `npx beckon-server`, on the machine's own Node.js. */
describe('the program', () => {
	let directory: ReturnType<typeof temporaryDirectory>;
	let program: string;
	beforeEach(() => {
		directory = temporaryDirectory();
		program = join(directory.path, 'bin/beckon-server.js');
		cpSync(PROGRAM, program);
	});
	afterEach(() => directory.remove());

	const needs = (version: string) =>
		writeFileSync(
			join(directory.path, 'package.json'),
			JSON.stringify({ type: 'module', engines: { node: version } }),
		);
	const build = () => {
		mkdirSync(join(directory.path, 'dist'));
		writeFileSync(join(directory.path, 'dist/main.js'), 'console.log(...process.argv.slice(2))');
	};
	const run = (...args: string[]) => promisify(execFile)(process.execPath, [program, ...args]);

	it('runs what was built, with the arguments', async () => {
		needs('>=24');
		build();
		expect(await run('key', 'list')).toEqual({ stdout: 'key list\n', stderr: '' });
	});

	it('says in a line that Node.js is too old', async () => {
		needs('>=99');
		build();
		await expect(run('start')).rejects.toMatchObject({
			code: 1,
			stdout: '',
			stderr: `beckon-server needs Node.js 99 or newer, and this is ${process.version}. In a checkout of Beckon, npx beckon-server finds the right one.\n`,
		});
	});

	it('says in a line that it is not built', async () => {
		needs('>=24');
		await expect(run('start')).rejects.toMatchObject({
			code: 1,
			stderr: 'The program is not built yet. Run: npm run build -w server\n',
		});
	});
});
