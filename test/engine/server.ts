import { spawn, type ChildProcess } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import type { Socket } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

import type { Seed } from '../../server/test/support/seeded.ts';
import { Phone } from './phone.ts';

const SERVER = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '../../server');

const MAIN = path.join(SERVER, 'src/main.ts');

/** Halves the CPU of each start after the first. */
const COMPILE_CACHE = path.join(SERVER, '../node_modules/.cache/beckon-server');

/** BECKON_ settings that differ from the defaults, and options of Node.js itself. */
export type Settings = Readonly<Record<`BECKON_${string}`, string> & { NODE_OPTIONS?: string }>;

interface Output {
	code: number | null;
	stdout: string;
	stderr: string;
}

/** Only the given settings apply, whatever the environment of the tests contains. */
function environment(settings: Settings): NodeJS.ProcessEnv {
	const own = Object.entries(process.env).filter(([name]) => !name.startsWith('BECKON_'));
	return { NODE_COMPILE_CACHE: COMPILE_CACHE, ...Object.fromEntries(own), ...settings };
}

function run(
	args: readonly string[],
	settings: Settings,
	main: string,
): { child: ChildProcess; log: () => string; ended: Promise<Output> } {
	const child = spawn(process.execPath, [main, ...args, '--json'], {
		env: environment(settings),
		stdio: ['ignore', 'pipe', 'pipe'],
	});
	const output = { stdout: '', stderr: '' };
	child.stdout.setEncoding('utf8').on('data', (text: string) => (output.stdout += text));
	child.stderr.setEncoding('utf8').on('data', (text: string) => (output.stderr += text));
	const ended = new Promise<Output>((resolve, reject) => {
		child.once('error', reject);
		child.once('close', (code) => {
			resolve({ code, ...output });
		});
	});
	return { child, log: () => output.stderr, ended };
}

/** Those who wait for the output of a command, in the order in which they asked. */
const asking: Array<(output: Output) => void> = [];

let commands: ChildProcess | undefined;

/** Runs a command of the server in the one process that runs them all, until this one ends. */
async function runCommand(args: readonly string[], settings: Settings): Promise<Output> {
	if (!commands) {
		commands = spawn(process.execPath, [path.join(SERVER, 'test/support/commands.ts')], {
			env: environment({}),
			stdio: ['pipe', 'pipe', 'inherit'],
		});
		createInterface({ input: commands.stdout! }).on('line', (line) => {
			asking.shift()?.(JSON.parse(line) as Output);
		});
		// It ends with this process, which does not wait for it.
		for (const kept of [commands, commands.stdin as Socket, commands.stdout as Socket])
			kept.unref();
		commands.once('exit', () => {
			for (const settle of asking.splice(0))
				settle({ code: 1, stdout: '', stderr: 'The process of the commands has ended' });
			commands = undefined;
		});
	}
	commands.stdin?.write(`${JSON.stringify({ args, settings })}\n`);
	return await new Promise((resolve) => asking.push(resolve));
}

/** The address of a starting server, from the first line that it prints, as JSON. */
async function listening(child: ChildProcess, ended: Promise<Output>): Promise<string> {
	return await new Promise((resolve, reject) => {
		let text = '';
		child.stdout?.on('data', (chunk: string) => {
			text += chunk;
			const [line, rest] = text.split('\n', 2);
			if (rest !== undefined) resolve((JSON.parse(line ?? '') as { url: string }).url);
		});
		ended.then(({ stderr }) => {
			reject(new Error(`The server did not start: ${stderr}`));
		}, reject);
	});
}

export interface HistoryEntry {
	kind: string;
	title: string;
	tags: string[];
	ended_at: string | null;
}

/** The real server in its own process, on a free port and an empty folder. */
export class TestServer {
	readonly url: string;

	private readonly settings: Settings;

	private readonly folder: string;

	/** Its log so far. */
	readonly log: () => string;

	private readonly child: ChildProcess;

	private readonly ended: Promise<Output>;

	private readonly main: string;

	private constructor(
		url: string,
		settings: Settings,
		{ folder, main }: { folder: string; main: string },
		process_: ReturnType<typeof run>,
	) {
		this.url = url;
		this.settings = settings;
		this.folder = folder;
		this.main = main;
		this.log = process_.log;
		this.child = process_.child;
		this.ended = process_.ended;
	}

	/**
	 * @param main the program, if not the one of this source
	 * @throws with the server's output if it does not start
	 */
	static async start(settings: Settings = {}, main = MAIN): Promise<TestServer> {
		const folder = await mkdtemp(path.join(tmpdir(), 'beckon-nodes-'));
		const all = { BECKON_DATA: folder, BECKON_PORT: '0', BECKON_LOG_LEVEL: 'error', ...settings };
		const process_ = run(['start'], all, main);
		const url = await listening(process_.child, process_.ended);
		return new TestServer(url, all, { folder, main }, process_);
	}

	/** The base URL for the credential. */
	get baseUrl(): string {
		return `${this.url}/api`;
	}

	/** Runs a verb of the server's command line on the same data and returns its output. */
	async cli<T = Record<string, string>>(...args: string[]): Promise<T> {
		const isOwn = this.main === MAIN;
		const { code, stdout, stderr } = await (isOwn
			? runCommand(args, this.settings)
			: run(args, this.settings, this.main).ended);
		if (code !== 0) throw new Error(`beckon-server ${args.join(' ')} failed: ${stderr}`);
		return JSON.parse(stdout) as T;
	}

	/** Creates the account `demo` with a phone, the channels `ops` and `sales`, and the returned metrics. */
	async seedDemo(): Promise<{ key: string; phone: Phone; metrics: string[] }> {
		const seeded = await this.cli<Seed>('seed');
		return {
			key: seeded.key,
			phone: new Phone(this.url, seeded.device_id, seeded.device_token),
			metrics: seeded.metrics,
		};
	}

	async createAccount(name: string, plan: 'paid' | 'trial' = 'paid'): Promise<void> {
		await this.cli(
			'account',
			'create',
			'--name',
			name,
			'--owner',
			`${name}@example.com`,
			'--plan',
			plan,
		);
	}

	async createKey(account: string, channels?: readonly string[]): Promise<string> {
		const restriction = channels ? ['--channels', channels.join(',')] : [];
		const { key } = await this.cli(
			'key',
			'create',
			'--account',
			account,
			'--name',
			'n8n',
			...restriction,
		);
		return key ?? '';
	}

	async createChannel(account: string, slug: string): Promise<void> {
		await this.cli('channel', 'create', '--account', account, '--slug', slug);
	}

	async pairPhone(account: string, platform: 'web' | 'ios' = 'web'): Promise<Phone> {
		const code = await this.pairCode(account);
		return await Phone.pair(this.url, { code, name: 'Phone', platform });
	}

	/** @returns a code that pairs a phone of the account */
	async pairCode(account: string): Promise<string> {
		return (await this.cli('device', 'pair-code', '--account', account))['code'] ?? '';
	}

	/** Everything sent, newest first. */
	async history(account: string): Promise<HistoryEntry[]> {
		return await this.cli('history', 'list', '--account', account);
	}

	signal(signal: NodeJS.Signals): void {
		this.child.kill(signal);
	}

	async stop(): Promise<void> {
		this.signal('SIGTERM');
		await this.ended;
		await rm(this.folder, { recursive: true, force: true });
	}
}
