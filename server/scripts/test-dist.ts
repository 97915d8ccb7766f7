import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import type { LeftOutTest } from '../test/support/dist-environment.ts';
import { byCommands } from '../test/support/by-commands.ts';
import type { Prepared } from '../test/support/prepared.ts';
import { startProcess } from '../test/support/process.ts';
import { install, pack } from './packed.ts';

/**
 * Runs the tests of API, phones and console on the server as published: packed, installed into an empty folder,
 * started as a process, called over TCP. Arguments go to jest. TEST_DIST_TARBALL names another packed server.
 */

const JEST = join(import.meta.dirname, '../../node_modules/jest/bin/jest.js');

const directory = mkdtempSync(join(tmpdir(), 'beckon-dist-'));
const leftOut = join(directory, 'left-out.jsonl');
// Nearly every test starts the program: later starts reuse what the first one compiles.
process.env['NODE_COMPILE_CACHE'] = join(directory, 'compiled');

/** The first account, a key and a phone, made with the program itself. */
async function prepare(main: string): Promise<Prepared> {
	const data = join(directory, 'data');
	const access = byCommands(data, main);
	const name = 'acme';
	const id = await access.createAccount({ name, plan: 'paid' });
	const key = await access.createKey(id, undefined);
	const code = await access.createPairCode(id, 'owner');
	const server = await startProcess(data, { main });
	const answer = await fetch(`${server.url}/device/pair`, {
		method: 'POST',
		headers: { 'content-type': 'application/json' },
		body: JSON.stringify({ code, name: 'Phone', platform: 'web' }),
	});
	const { device, token } = (await answer.json()) as { device: { id: string }; token: string };
	server.signal('SIGTERM');
	await server.finished;
	return {
		main,
		data,
		first: { account: { id, name, key }, phone: { id: device.id, token } },
		leftOut,
	};
}

function runJest(prepared: Prepared): Promise<number> {
	const jest = spawn(
		process.execPath,
		[
			...['--no-warnings', JEST, ...process.argv.slice(2)],
			...['--config', 'jest.config.mjs', '--selectProjects', 'dist'],
		],
		{
			cwd: join(import.meta.dirname, '..'),
			stdio: 'inherit',
			env: { ...process.env, TEST_DIST: JSON.stringify(prepared) },
		},
	);
	for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => jest.kill(signal));
	return new Promise((resolve, reject) => {
		jest.once('error', reject);
		jest.once('exit', (code) => resolve(code ?? 1));
	});
}

function readLeftOut(): LeftOutTest[] {
	if (!existsSync(leftOut)) return [];
	const lines = readFileSync(leftOut, 'utf8').trim().split('\n');
	return lines.map((line) => JSON.parse(line) as LeftOutTest);
}

/** The tests left out, by reason and file. */
function printLeftOut(tests: readonly LeftOutTest[]): void {
	for (const [needs, those] of Map.groupBy(tests, (test) => test.needs)) {
		console.log(`\nLeft out, because they need ${needs}: ${those.length} tests`);
		for (const [file, entries] of Map.groupBy(those, (test) => test.file)) {
			console.log(`  ${file}`);
			for (const { test } of entries) console.log(`    ${test}`);
		}
	}
}

try {
	const given = process.env['TEST_DIST_TARBALL'];
	const tarball = given === undefined ? pack(directory).tarball : resolve(given);
	const installed = install(tarball, join(directory, 'installed'));
	console.log(`Installed from ${tarball}`);
	process.exitCode = await runJest(
		await prepare(join(installed, 'beckon-server/bin/beckon-server.js')),
	);
	printLeftOut(readLeftOut());
} finally {
	rmSync(directory, { recursive: true });
}
