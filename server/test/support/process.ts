import { type ChildProcess, spawn } from 'node:child_process';
import { join } from 'node:path';
import type { Seed } from './seeded.ts';
import { isOnPostgres, storeSettings } from './store.ts';
import { within } from './wait.ts';

const MAIN = join(import.meta.dirname, '../../src/main.ts');

const SEED = join(import.meta.dirname, 'seed.ts');

/** Halves the CPU of a start from the source: later starts reuse what the first one compiles. */
const COMPILE_CACHE = join(import.meta.dirname, '../../../node_modules/.cache/beckon-server');

export interface Finished {
	code: number | null;
	signal: NodeJS.Signals | null;
	stdout: string;
	stderr: string;
}

/** A run on PostgreSQL replaces the data directory in the arguments with a database. */
async function withStore(
	args: readonly string[],
	settings: Record<string, string>,
): Promise<Record<string, string>> {
	const directory = args.includes('--data') ? args[args.indexOf('--data') + 1] : undefined;
	const hasOwn = settings['BECKON_DATABASE_URL'] !== undefined;
	if (!isOnPostgres || hasOwn || directory === undefined) return settings;
	return { ...(await storeSettings(directory)), ...settings };
}

/** Drops settings of the test's own environment; nothing waits for a stopping server unless a test asks. */
function environment(settings: Record<string, string>): Record<string, string | undefined> {
	const own = Object.entries(process.env).filter(
		([name]) => !name.startsWith('BECKON_') && name !== 'NODE_OPTIONS',
	);
	return {
		NODE_COMPILE_CACHE: COMPILE_CACHE,
		...Object.fromEntries(own),
		BECKON_DRAIN_SECONDS: '0',
		...settings,
	};
}

function collect(child: ChildProcess): {
	output: { stdout: string; stderr: string };
	finished: Promise<Finished>;
} {
	const output = { stdout: '', stderr: '' };
	child.stdout?.setEncoding('utf8').on('data', (text: string) => (output.stdout += text));
	child.stderr?.setEncoding('utf8').on('data', (text: string) => (output.stderr += text));
	const finished = new Promise<Finished>((resolve, reject) => {
		child.once('error', reject);
		child.once('close', (code, signal) => resolve({ code, signal, ...output }));
	});
	return { output, finished };
}

/** Runs the real program to its end. */
export async function runCli(
	args: readonly string[],
	settings: Record<string, string> = {},
	main = MAIN,
): Promise<Finished> {
	const child = spawn(process.execPath, [main, ...args], {
		env: environment(await withStore(args, settings)),
		stdio: ['ignore', 'pipe', 'pipe'],
	});
	try {
		return await within(`beckon-server ${args.join(' ')}`, collect(child).finished, 30_000);
	} finally {
		child.kill('SIGKILL');
	}
}

/** Runs a command that must succeed and returns the one JSON value that it prints. */
export async function runJson<T = any>(
	args: readonly string[],
	settings: Record<string, string> = {},
	main = MAIN,
): Promise<T> {
	const { code, stdout, stderr } = await runCli([...args, '--json'], settings, main);
	if (code !== 0) throw new Error(`beckon-server ${args.join(' ')} exited with ${code}: ${stderr}`);
	return JSON.parse(stdout) as T;
}

/**
 * Makes the account `demo` (see seed.ts) in the store, whether or not a server runs on it.
 * @param data its folder; undefined: only the settings say where the store is
 */
export function seed(
	data: string | undefined,
	settings: Record<string, string> = {},
): Promise<Seed> {
	return runJson<Seed>(data === undefined ? [] : ['--data', data], settings, SEED);
}

export interface ServerProcess {
	url: string;
	pid: number;
	/** Its log so far. */
	log(): string;
	signal(signal: NodeJS.Signals): void;
	finished: Promise<Finished>;
}

export interface StartOptions {
	settings?: Record<string, string>;
	/** Largest file the process may write, in KiB: simulates a full disk. */
	fileLimitKib?: number | undefined;
	/** Files, connections included, that the process may have open. */
	openFiles?: number | undefined;
	/** Options of Node.js itself, before the program. */
	nodeOptions?: readonly string[];
	/** The program, if not the one of this source. */
	main?: string;
	/** Omitted: a free one. */
	port?: number;
}

/** Starts the real server on a port of the loopback address and waits until it listens. */
export async function startProcess(
	data: string,
	{
		settings = {},
		fileLimitKib,
		openFiles,
		nodeOptions = [],
		main = MAIN,
		port = 0,
	}: StartOptions = {},
): Promise<ServerProcess> {
	const args = [...nodeOptions, main, 'start', '--data', data, '--port', String(port), '--json'];
	const limits = [
		...(fileLimitKib === undefined ? [] : [`ulimit -f ${fileLimitKib}; `]),
		...(openFiles === undefined ? [] : [`ulimit -n ${openFiles}; `]),
	].join('');
	const [file, argv] =
		limits === ''
			? [process.execPath, args]
			: ['/bin/bash', ['-c', `${limits}exec "$0" "$@"`, process.execPath, ...args]];
	const child = spawn(file, argv, {
		env: environment(await withStore(args, settings)),
		stdio: ['ignore', 'pipe', 'pipe'],
	});
	const { output, finished } = collect(child);
	const listening = new Promise<string>((resolve, reject) => {
		child.stdout.on('data', () => {
			const [line, rest] = output.stdout.split('\n', 2);
			if (rest !== undefined) resolve((JSON.parse(line ?? '') as { url: string }).url);
		});
		finished.then(
			({ code, stderr }) => reject(new Error(`The server exited with ${code}: ${stderr}`)),
			reject,
		);
	});
	try {
		const url = await within('the server to listen', listening, 30_000);
		return {
			url,
			pid: child.pid ?? NaN,
			log: () => output.stderr,
			signal: (signal) => child.kill(signal),
			finished,
		};
	} catch (error) {
		child.kill('SIGKILL');
		throw error;
	}
}
