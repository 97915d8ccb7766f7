import type { ChildProcess } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { closeSync, openSync } from 'node:fs';
import { constants } from 'node:os';
import path from 'node:path';
import type { Readable, Writable } from 'node:stream';
import { StringDecoder } from 'node:string_decoder';
import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises';
import { stripVTControlCharacters } from 'node:util';

import spawn from 'cross-spawn';

import { EXIT, warn } from './failure';
import { RECIPIENTS, command, toValues, type Values } from './options';
import { settings } from './settings';
import { showRun, type ShownRun } from './show-run';

/** Milliseconds for the last output and the last update. After that, `run` ends without them. */
const PATIENCE = 2000;

/** Milliseconds of these for output that the command left in its pipes. */
const DRAIN = 500;

/** Characters kept of a line that has not ended. */
const MAX_PART = 10_000;

/** The signals with which a person or the machine ends a command. Shells then end their loop or script as well. */
const PASSED_UP: readonly unknown[] = ['SIGINT', 'SIGTERM', 'SIGHUP'];

const HELP = `
What follows the command belongs to it: its options, its signals, standard input and the terminal. Its output goes
through a pipe, to which many programs write in blocks, late and without colors. For its lines as they come, use the
program's own way, such as \`beckon run stdbuf -oL COMMAND\`, or PYTHONUNBUFFERED=1 for Python. With --no-output there is
no pipe: the command has the terminal for itself, and the phone shows its time and its exit code.

Exits with the command's exit code, or 128 and the number of the signal that ended it; 127 if there is no such command,
and 126 if it is none. It runs whatever becomes of the phones, which --timeout (by default 2s) limits at its end.`;

export const run = command('run <command> [args...]', 'run a command, shown on phones', RECIPIENTS)
	.passThroughOptions()
	.option('--title <text>', 'first line; by default the name of the command')
	.option('--stream <key>', 'its Live Activity, reused while that runs; by default a new one')
	.option('--no-output', 'do not read the output, for example because it contains secrets')
	.option('--no-alert', 'end silently')
	.addHelpText('after', HELP)
	.action(async (program: string, args: string[], options: Values) => {
		const { title, stream, output, alert } = options;
		const shown = showRun({
			// The program alone: its arguments may hold secrets.
			title: typeof title === 'string' ? title : path.basename(program).slice(0, 100),
			key: typeof stream === 'string' ? stream : `run-${randomBytes(6).toString('hex')}`,
			alert: alert === true,
			recipients: toValues(RECIPIENTS, options),
		});
		const { code, signal } = await execute(program, args, output === true, shown).catch(
			(error: unknown) => ({ code: notRun(program, error), signal: null }),
		);
		const patience = settings.timeout === undefined ? PATIENCE : settings.timeout * 1000;
		await shown.end(code, Math.max(0, patience - DRAIN));
		process.exitCode = code;
		if (signal === null || !PASSED_UP.includes(signal)) return;
		// Once everything has been written.
		process.once('exit', () => {
			process.removeAllListeners(signal);
			process.kill(process.pid, signal);
		});
	});

/**
 * Runs a command to its end and passes on its output.
 * @returns its exit code, or 128 and the number of the signal that ended it, as shells report it
 * @throws the system's error if it cannot be run
 */
async function execute(program: string, args: string[], hasPipes: boolean, shown: ShownRun) {
	const child = spawn(program, args, { stdio: hasPipes ? ['inherit', 'pipe', 'pipe'] : 'inherit' });
	const closed = new Promise((resolve) => child.once('close', resolve));
	child.once('spawn', () => shown.begin());
	passOnSignals(child);
	for (const name of ['stdout', 'stderr'] as const) {
		const pipe = child[name];
		if (!pipe) continue;
		followLines(pipe, (line) => shown.tell(line));
		relay(pipe, process[name], child);
	}
	const [code, signal] = (await once(child, 'exit')) as [number | null, NodeJS.Signals | null];
	// A process that the command left in the background may keep its pipes open indefinitely.
	await Promise.race([closed, sleep(DRAIN, undefined, { ref: false })]);
	// Reads what has arrived, even if a busy machine runs this late.
	await nextTurn();
	for (const pipe of [child.stdout, child.stderr]) pipe?.destroy();
	return { code: code ?? 128 + (signal ? constants.signals[signal] : 0), signal };
}

/** Passes on output as fast as its reader takes it, and the rest at once when the command has ended. */
function relay(from: Readable, to: Writable, child: ChildProcess): void {
	from.on('data', (chunk: Buffer) => {
		if (to.write(chunk) || child.exitCode !== null || child.signalCode !== null) return;
		from.pause();
		to.once('drain', () => from.resume());
	});
	child.once('exit', () => from.resume());
	// The command finds its pipe closed, as it would without `run`.
	to.once('error', () => from.destroy());
}

/** Reports why a command cannot be run. @returns the exit code that shells use for it */
function notRun(program: string, error: unknown): number {
	const { code, message } = error as NodeJS.ErrnoException;
	const isMissing = code === 'ENOENT';
	const reason = code === 'EACCES' ? 'it is not executable' : message;
	warn(`${program}: ${isMissing ? 'there is no such command' : reason}`);
	return isMissing ? EXIT.notFound : EXIT.notRunnable;
}

/**
 * Passes signals on to the command. A terminal sends Ctrl-C, Ctrl-\ and its hang-up to both processes: passed on, they
 * would arrive twice. So does the Windows console; a signal from elsewhere ends a process at once there.
 */
function passOnSignals(child: ChildProcess): void {
	const byTerminal = hasTerminal() ? ['SIGINT', 'SIGQUIT', 'SIGHUP'] : [];
	for (const signal of ['SIGTERM', 'SIGINT', 'SIGQUIT', 'SIGHUP', 'SIGUSR1', 'SIGUSR2'] as const) {
		process.removeAllListeners(signal);
		process.on(signal, () => {
			if (!byTerminal.includes(signal)) child.kill(signal);
		});
	}
}

function hasTerminal(): boolean {
	if (process.platform === 'win32') return true;
	try {
		closeSync(openSync('/dev/tty', 'r'));
		return true;
	} catch {
		return false;
	}
}

/**
 * Calls back with the last line so far that is not blank, without control sequences. A carriage return starts a new
 * line, as in a progress bar.
 */
function followLines(output: Readable, onLine: (line: string) => void): void {
	const decoder = new StringDecoder('utf8');
	let unfinished = '';
	output.on('data', (chunk: Buffer) => {
		const lines = (unfinished + decoder.write(chunk)).split(/[\r\n]+/);
		unfinished = (lines.pop() ?? '').slice(-MAX_PART);
		const texts = [...lines, unfinished].map((text) => stripVTControlCharacters(text).trim());
		const line = texts.findLast((text) => text !== '');
		if (line !== undefined) onLine(line);
	});
}
