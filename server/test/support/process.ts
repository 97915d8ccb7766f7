import { type ChildProcess, spawn } from 'node:child_process';
import { join } from 'node:path';
import { Command, CommanderError } from 'commander';
import { toProgram } from '../../src/cli/program.ts';
import { onData } from '../../src/cli/run.ts';
import { seed as seedDemo } from './seed.ts';
import type { Seed } from './seeded.ts';
import { isOnPostgres, storeSettings } from './store.ts';
import { within } from './wait.ts';

const MAIN = join(import.meta.dirname, '../../src/main.ts');

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

/** Settles once the commands before have ended. */
let earlier: Promise<unknown> = Promise.resolve();

/**
 * Runs a command to its end: in this process, which takes a hundredth of the CPU of a process of its own; `start` and
 * another program than the source's in one of its own. One after the other, since output and environment are the process's.
 * @param main the program, if not the one of this source
 */
export function runCli(
	args: readonly string[],
	settings: Record<string, string> = {},
	main = MAIN,
): Promise<Finished> {
	if (main !== MAIN || args[0] === 'start') return runProcess(args, settings, main);
	return runCommand(args, settings);
}

/** Runs a `start` that is refused before it opens anything, so that it needs no process of its own. */
export function runRefusedStart(
	args: readonly string[],
	settings: Record<string, string> = {},
): Promise<Finished> {
	return runCommand(['start', ...args], settings);
}

function runCommand(args: readonly string[], settings: Record<string, string>): Promise<Finished> {
	return runHere(args, settings, async () => {
		const program = toProgram(new Command().exitOverride());
		await program.parseAsync(args, { from: 'user' }).catch((error: unknown) => {
			if (!(error instanceof CommanderError)) throw error;
			process.exitCode = error.exitCode;
		});
	});
}

function runHere(
	args: readonly string[],
	settings: Record<string, string>,
	command: () => Promise<void>,
): Promise<Finished> {
	const running = earlier.then(async () => printed(await withStore(args, settings), command));
	earlier = running.catch(() => undefined);
	return running;
}

/** What a command prints in an environment of its own. */
async function printed(
	settings: Record<string, string>,
	command: () => Promise<void>,
): Promise<Finished> {
	const output = { stdout: '', stderr: '' };
	const { env, exit, exitCode } = process;
	const listeners = process.listeners('uncaughtException');
	const real = { stdout: process.stdout.write, stderr: process.stderr.write };
	for (const name of ['stdout', 'stderr'] as const) {
		process[name].write = (text) => {
			output[name] += String(text);
			return true;
		};
	}
	process.env = environment(settings);
	process.exitCode = 0;
	process.exit = ((code) => {
		process.exitCode = code;
	}) as typeof process.exit;
	try {
		await command();
		return { code: process.exitCode, signal: null, ...output };
	} finally {
		process.env = env;
		process.exit = exit;
		process.exitCode = exitCode;
		for (const added of process.listeners('uncaughtException'))
			if (!listeners.includes(added)) process.off('uncaughtException', added);
		for (const name of ['stdout', 'stderr'] as const) process[name].write = real[name];
	}
}

/** Runs a program in a process of its own to its end. */
async function runProcess(
	args: readonly string[],
	settings: Record<string, string> = {},
	main = MAIN,
): Promise<Finished> {
	const child = spawn(process.execPath, [main, ...args], {
		env: environment(await withStore(args, settings)),
		stdio: ['ignore', 'pipe', 'pipe'],
	});
	try {
		return await within(`beckon-server ${args.join(' ')}`, collect(child).finished);
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
	return jsonOf<T>(args.join(' '), await runCli([...args, '--json'], settings, main));
}

function jsonOf<T>(command: string, { code, stdout, stderr }: Finished): T {
	if (code !== 0) throw new Error(`beckon-server ${command} exited with ${code}: ${stderr}`);
	return JSON.parse(stdout) as T;
}

/**
 * Makes the account `demo` (see seed.ts) in the store, whether or not a server runs on it.
 * @param data its folder; undefined: only the settings say where the store is
 */
export async function seed(
	data: string | undefined,
	settings: Record<string, string> = {},
): Promise<Seed> {
	const store = data === undefined ? [] : ['--data', data];
	const seeding = () =>
		onData({ json: true, data }, async (at) => ({ json: await seedDemo(at), lines: [] }), true);
	return jsonOf<Seed>('seed', await runHere(store, settings, seeding));
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
		const url = await within('the server to listen', listening);
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
