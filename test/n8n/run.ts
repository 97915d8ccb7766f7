import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync, rmSync } from 'node:fs';
import path from 'node:path';
import { parseArgs } from 'node:util';

import { installFolder } from '../../scripts/lib/install-folder.ts';
import { LINES, type Line } from './support/lines.ts';
import { logFileOf, resultsFolder } from './support/results.ts';

const JEST = path.join(import.meta.dirname, '../../node_modules/jest/bin/jest.js');

const CONFIG = path.join(import.meta.dirname, 'jest.config.mjs');

/** Packages of n8n that must be compiled, or fetched as binaries, for this machine. */
const BUILDS = ['sqlite3', 'isolated-vm'];

const TESTS_MINUTES = 35;

const LOG_LINES = 60;

const say = (line: string) => process.stdout.write(`${line}\n`);

const folderName = ({ folder }: Line) => path.basename(folder);

/** @throws if a name matches no line */
function chosen(names: readonly string[]): Line[] {
	if (names.length === 0) return LINES;
	return names.map((name) => {
		const line = LINES.find((candidate) => folderName(candidate) === name);
		if (!line) throw new Error(`${name} is none of ${LINES.map(folderName).join(', ')}`);
		return line;
	});
}

async function install(lines: readonly Line[]): Promise<void> {
	for (const line of lines) {
		await installFolder(line.folder, {
			announcement: `Installing ${line.name} into test/n8n/${folderName(line)}: 5 to 20 minutes and about 2 GB, the first time only …`,
			builds: BUILDS,
		});
	}
}

/**
 * Runs the tests and returns the exit code. The tests and everything they start form one process group,
 * which ends if the tests take too long or are interrupted; n8n ends with them (see guard.cjs).
 */
async function test(lines: readonly Line[], report: string): Promise<number> {
	const files = lines.map((line) => `${folderName(line)}.test.ts`);
	const args = [JEST, '--config', CONFIG, '--json', '--outputFile', report, ...files];
	const jest = spawn(process.execPath, args, {
		stdio: ['ignore', 'ignore', 'inherit'],
		detached: true,
	});
	const end = () => {
		if (jest.pid !== undefined && jest.exitCode === null) process.kill(-jest.pid, 'SIGTERM');
	};
	process.once('SIGINT', end);
	process.once('SIGTERM', end);
	const limit = setTimeout(() => {
		say(`The tests took longer than ${TESTS_MINUTES} minutes.`);
		end();
	}, TESTS_MINUTES * 60_000);
	const [code] = (await once(jest, 'exit')) as [number | null];
	clearTimeout(limit);
	return code ?? 1;
}

/** The end of n8n's log explains a failure better than a test can. */
function tellLogs(lines: readonly Line[], report: string): void {
	const failed = (line: Line) => {
		if (!existsSync(report)) return true;
		const { testResults } = JSON.parse(readFileSync(report, 'utf8')) as {
			testResults: Array<{ name: string; status: string }>;
		};
		return testResults.some(
			({ name, status }) =>
				path.basename(name) === `${folderName(line)}.test.ts` && status !== 'passed',
		);
	};
	for (const line of lines.filter(failed)) {
		const file = logFileOf(line);
		if (!existsSync(file)) continue;
		say(`\nThe end of the log of ${line.name} (${path.relative(process.cwd(), file)}):`);
		say(readFileSync(file, 'utf8').trimEnd().split('\n').slice(-LOG_LINES).join('\n'));
	}
}

try {
	const { values, positionals } = parseArgs({
		options: { install: { type: 'boolean', default: false } },
		allowPositionals: true,
	});
	const lines = chosen(positionals);
	await install(lines);
	if (values.install) process.exit();
	say(`Testing in ${lines.map(({ name }) => name).join(' and ')}: a few minutes each …`);
	const report = path.join(resultsFolder(), 'jest.json');
	rmSync(report, { force: true });
	process.exitCode = await test(lines, report);
	if (process.exitCode !== 0) tellLogs(lines, report);
} catch (error) {
	process.stderr.write(
		`The tests in a real n8n could not run: ${error instanceof Error ? error.message : String(error)}\n`,
	);
	process.exitCode = 1;
}
