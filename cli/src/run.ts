import { spawn, type ChildProcess } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { closeSync, openSync } from 'node:fs';
import { constants } from 'node:os';
import path from 'node:path';
import type { Readable } from 'node:stream';
import { StringDecoder } from 'node:string_decoder';
import { setTimeout as sleep } from 'node:timers/promises';
import { stripVTControlCharacters } from 'node:util';

import type { Command } from 'commander';

import type { Client, Tools } from './client';
import { given, sendingCommand, toRecipients, type Options } from './options';

/** Milliseconds between two updates: phones show the elapsed time by themselves. */
const INTERVAL = 5000;

/** Milliseconds for the last update, after which the command's exit code counts more. */
const PATIENCE = 10_000;

/** Characters of a line of output that a phone shows. */
const LONGEST_LINE = 200;

/** Characters kept of a line that has not ended. */
const LONGEST_PART = 10_000;

interface RunOptions extends Options {
	title?: string;
	stream?: string;
	output: boolean;
	alert: boolean;
}

export function runCommand({ client }: Tools): Command {
	return sendingCommand('run')
		.description('run a command, and show its time, last line and exit code as a Live Activity')
		.argument('<command>', 'after --, with its arguments')
		.argument('[arguments...]')
		.option('--title <text>', 'first line; by default the name of the command')
		.option('--stream <key>', 'key of the Live Activity; by default a new one')
		.option('--no-output', 'keep the lines of output off the phone, as where they hold secrets')
		.option('--no-alert', 'end silently')
		.action(async (program: string, args: string[], options: RunOptions) => {
			// Its arguments may hold secrets.
			const title = options.title ?? path.basename(program).slice(0, 100);
			const key = options.stream ?? `run-${randomBytes(6).toString('hex')}`;
			const shown = showRun(await client(), { ...options, title, key });
			const child = spawn(program, args, { stdio: ['inherit', 'pipe', 'pipe'] });
			for (const name of ['stdout', 'stderr'] as const) {
				followLines(child[name], shown.tell);
				child[name].pipe(process[name]);
			}
			passOnSignals(child);
			const code = await exitCodeOf(child);
			await shown.end(code);
			process.exitCode = code;
		});
}

/**
 * Calls back with the last line so far that says something, without control sequences. A carriage return begins a
 * line anew, as in a progress bar.
 */
function followLines(output: Readable, told: (line: string) => void): void {
	const decoder = new StringDecoder('utf8');
	let unfinished = '';
	output.on('data', (chunk: Buffer) => {
		const lines = (unfinished + decoder.write(chunk)).split(/[\r\n]+/);
		unfinished = (lines.pop() ?? '').slice(-LONGEST_PART);
		const line = [...lines, unfinished]
			.map((text) => stripVTControlCharacters(text).trim())
			.findLast((text) => text !== '');
		if (line !== undefined) told(line.slice(0, LONGEST_LINE).replace(/[\ud800-\udbff]$/, ''));
	});
}

/** As shells do: 128 and the number of the signal that ended it, 127 for no such command, 126 for no program. */
async function exitCodeOf(child: ChildProcess): Promise<number> {
	return await new Promise((resolve) => {
		child.once('error', (error: NodeJS.ErrnoException) => {
			process.stderr.write(`${error.message}\n`);
			resolve(error.code === 'ENOENT' ? 127 : 126);
		});
		child.once('close', (code, signal) => {
			resolve(code ?? 128 + (signal ? constants.signals[signal] : 0));
		});
	});
}

/** A terminal sends Ctrl+C, Ctrl+\ and its hang-up to the command as well: passed on, they would arrive twice. */
function passOnSignals(child: ChildProcess): void {
	const isByTerminal = hasTerminal();
	for (const signal of ['SIGTERM', 'SIGINT', 'SIGQUIT', 'SIGHUP'] as const) {
		process.removeAllListeners(signal);
		process.on(signal, () => {
			if (signal === 'SIGTERM' || !isByTerminal) child.kill(signal);
		});
	}
}

function hasTerminal(): boolean {
	try {
		closeSync(openSync('/dev/tty', 'r'));
		return true;
	} catch {
		return false;
	}
}

/**
 * Shows a run as a Live Activity. The run does not depend on it: failures are told once, on standard error.
 * @returns what to call with each line of output, and at the end with the exit code
 */
function showRun(client: Client, options: RunOptions & { title: string; key: string }) {
	const { title, key, output, alert } = options;
	const startedAt = Date.now();
	const ended = new AbortController();
	let lastLine = '';
	let hasFailed = false;

	async function isSent(method: 'PUT' | 'DELETE', state: object, rest: object): Promise<boolean> {
		const path = `/live-activity/stream/${key}`;
		const content_state = { type: 'timer', title, counts_down: false, ...state };
		const body = { content_state, ...rest };
		try {
			await client.send({ method, path, body }, method === 'PUT' ? INTERVAL : PATIENCE);
			return true;
		} catch (error) {
			const reason = error instanceof Error ? error.message : String(error);
			if (!hasFailed) process.stderr.write(`beckon: not shown on the phone: ${reason}\n`);
			hasFailed = true;
			return false;
		}
	}

	/** Sends what has changed, at most every few seconds, until the run ends. */
	async function follow(): Promise<void> {
		let shown: string | undefined;
		const { signal } = ended;
		while (!signal.aborted) {
			const line = lastLine;
			const isNew = line !== shown;
			if (isNew && (await isSent('PUT', { subtitle: line }, toRecipients(options)))) shown = line;
			// It rejects only at the end.
			await sleep(INTERVAL, undefined, { signal }).catch(() => undefined);
		}
	}

	const following = follow();
	return {
		tell(line: string) {
			if (output) lastLine = line;
		},
		/** With an alert unless --no-alert was given. */
		async end(code: number) {
			ended.abort();
			await following;
			const outcome = code === 0 ? 'Done' : `Exit code ${code}`;
			const words = `${outcome} after ${toWords(Date.now() - startedAt)}`;
			const subtitle = lastLine === '' ? words : `${words} · ${lastLine}`;
			const { tags } = toRecipients(options);
			await isSent(
				'DELETE',
				{ subtitle, is_running: false, color: code === 0 ? 'green' : 'red' },
				given({ tags, alert: alert ? { title, body: words } : undefined }),
			);
		},
	};
}

/** Such as `3 min 12 s`. */
function toWords(milliseconds: number): string {
	const seconds = Math.round(milliseconds / 1000);
	return seconds < 60 ? `${seconds} s` : `${Math.floor(seconds / 60)} min ${seconds % 60} s`;
}
