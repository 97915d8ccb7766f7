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
			const shown = new ShownRun(await client(), { ...options, title, key });
			const child = spawn(program, args, { stdio: ['inherit', 'pipe', 'pipe'] });
			for (const name of ['stdout', 'stderr'] as const) {
				followLines(child[name], (line) => (shown.lastLine = line));
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
	const byTerminal = ['SIGINT', 'SIGQUIT', 'SIGHUP'] as const;
	const isByTerminal = hasTerminal();
	for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.removeAllListeners(name);
	process.on('SIGTERM', () => child.kill('SIGTERM'));
	for (const signal of byTerminal) {
		process.on(signal, () => {
			if (!isByTerminal) child.kill(signal);
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

/** The Live Activity of a run. The run does not depend on it: failures are told once, on standard error. */
class ShownRun {
	private readonly client: Client;

	private readonly options: RunOptions & { title: string; key: string };

	private readonly startedAt = Date.now();

	/** Of its output; empty: none yet. */
	lastLine = '';

	private readonly ended = new AbortController();

	private hasFailed = false;

	private readonly following: Promise<void>;

	constructor(client: Client, options: RunOptions & { title: string; key: string }) {
		this.client = client;
		this.options = options;
		this.following = this.follow();
	}

	/** Sends what has changed, at most every few seconds, until the run ends. */
	private async follow(): Promise<void> {
		let shown: string | undefined;
		const { signal } = this.ended;
		while (!signal.aborted) {
			const line = this.options.output ? this.lastLine : '';
			if (line !== shown && (await this.isSent('PUT', { subtitle: line }))) shown = line;
			// It rejects only at the end.
			await sleep(INTERVAL, undefined, { signal }).catch(() => undefined);
		}
	}

	/** Ends it with the exit code, and with an alert unless --no-alert was given. */
	async end(code: number): Promise<void> {
		this.ended.abort();
		await this.following;
		const { title, alert } = this.options;
		const outcome = code === 0 ? 'Done' : `Exit code ${code}`;
		const words = `${outcome} after ${toWords(Date.now() - this.startedAt)}`;
		const line = this.options.output && this.lastLine !== '' ? ` · ${this.lastLine}` : '';
		await this.isSent(
			'DELETE',
			{ subtitle: `${words}${line}`, is_running: false, color: code === 0 ? 'green' : 'red' },
			alert ? { alert: { title, body: words } } : {},
		);
	}

	private async isSent(
		method: 'PUT' | 'DELETE',
		state: object,
		rest: object = {},
	): Promise<boolean> {
		const { title, key } = this.options;
		const { target, ...tags } = toRecipients(this.options);
		const path = `/live-activity/stream/${key}`;
		const content_state = { type: 'timer', title, counts_down: false, ...state };
		const body = { content_state, ...rest, ...tags, ...(method === 'PUT' && given({ target })) };
		try {
			await this.client.send({ method, path, body }, method === 'PUT' ? INTERVAL : PATIENCE);
			return true;
		} catch (error) {
			const reason = error instanceof Error ? error.message : String(error);
			if (!this.hasFailed) process.stderr.write(`beckon: not shown on the phone: ${reason}\n`);
			this.hasFailed = true;
			return false;
		}
	}
}

/** Such as `3 min 12 s`. */
function toWords(milliseconds: number): string {
	const seconds = Math.round(milliseconds / 1000);
	return seconds < 60 ? `${seconds} s` : `${Math.floor(seconds / 60)} min ${seconds % 60} s`;
}
