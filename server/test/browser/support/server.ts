import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openDatabase } from '../../../src/store/open.ts';
import type { Db } from '../../../src/store/schema.ts';
import { runJson, seed } from '../../support/process.ts';
import { UNLIMITED } from '../../support/samples.ts';
import type { Seed } from '../../support/seeded.ts';
import { HANGS_MS } from '../../support/wait.ts';

const SERVER = join(import.meta.dirname, '../../..');
const MAIN = join(SERVER, 'src/main.ts');

/** The server serves the built pages; `npm run test:browser` builds them first. */
export function requirePages(): void {
	if (existsSync(join(SERVER, 'dist/web/phone/index.html'))) return;
	throw new Error('The pages are not built. Run npm run build:web in server/ first.');
}

/** The real program in its own process, restarted on the same port with the same data. */
export class RestartableServer {
	readonly #data = mkdtempSync(join(tmpdir(), 'beckon-browser-'));
	#process: ChildProcess | undefined;
	#port = 0;
	/** The server takes them at its next start. */
	settings: Record<string, string> = {};

	get url(): string {
		return `http://127.0.0.1:${this.#port}`;
	}

	/** Starts on a free port, and after a stop on the same port again. */
	async start(): Promise<void> {
		const child = spawn(
			process.execPath,
			[MAIN, 'start', '--data', this.#data, '--port', String(this.#port)],
			{
				env: {
					...process.env,
					// On a slow machine, a test that repeats a call until it has an effect would use up its minute.
					...UNLIMITED,
					BECKON_WEBHOOK_ALLOW_PRIVATE: 'true',
					BECKON_WEB_PUSH_ALLOW_PRIVATE: 'true',
					BECKON_LOG_LEVEL: 'warn',
					...this.settings,
				},
				stdio: ['ignore', 'pipe', 'pipe'],
			},
		);
		this.#process = child;
		let output = '';
		await new Promise<void>((resolve, reject) => {
			const fail = (why: string) =>
				reject(new Error(`The server did not start: ${why}\n${output}`));
			const timer = setTimeout(() => fail('timeout'), HANGS_MS);
			const read = (chunk: Buffer) => {
				output += chunk.toString();
				const port = /listens on http:\/\/127\.0\.0\.1:(\d+)/.exec(output)?.[1];
				if (port === undefined) return;
				this.#port = Number(port);
				clearTimeout(timer);
				resolve();
			};
			child.stdout.on('data', read);
			child.stderr.on('data', read);
			child.once('exit', (code) => fail(`exit code ${code}`));
		});
	}

	async stop(): Promise<void> {
		const child = this.#process;
		this.#process = undefined;
		if (child === undefined || child.exitCode !== null) return;
		const exited = new Promise((resolve) => child.once('exit', resolve));
		child.kill('SIGTERM');
		await exited;
	}

	/** Writes directly into the store: the service would take minutes for what a test needs many of. */
	async write(job: (db: Db) => Promise<void>): Promise<void> {
		const database = await openDatabase({ directory: this.#data, url: '' });
		await database.write(null, job);
		await database.close();
	}

	/** Runs a command-line verb on the server's data, with its settings, and parses its --json output. */
	command<T = unknown>(...words: string[]): Promise<T> {
		return runJson<T>([...words, '--data', this.#data], this.settings);
	}

	/** Makes the account `demo` in the server's data. */
	seed(): Promise<Seed> {
		return seed(this.#data, this.settings);
	}

	async remove(): Promise<void> {
		await this.stop();
		rmSync(this.#data, { recursive: true, force: true });
	}
}

/** The public API as a workflow uses it; an unsuccessful answer fails the test. */
export function apiOf(server: { url: string }, key: string) {
	const call = async <T = void>(method: string, path: string, body?: unknown): Promise<T> => {
		const response = await fetch(`${server.url}/api${path}`, {
			method,
			headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
			body: body === undefined ? undefined : JSON.stringify(body),
		});
		if (!response.ok)
			throw new Error(`${method} ${path}: ${response.status} ${await response.text()}`);
		return (await response.json()) as T;
	};
	return {
		push: (body: object) => call('POST', '/push-notification', body),
		ask: (body: object) => call<{ question_id: string }>('POST', '/questions', body),
		question: (id: string) => call<any>('GET', `/questions/${id}`),
		withdraw: (id: string) => call('DELETE', `/questions/${id}`),
		badge: (badge: number) => call('POST', '/badge', { badge }),
		metric: (key: string, value: number | string) =>
			call('POST', `/metrics/${key}/value`, { value }),
		stream: (key: string, content_state: object, more: object = {}) =>
			call<any>('PUT', `/live-activity/stream/${key}`, { content_state, ...more }),
		endStream: (key: string, content_state: object = {}) =>
			call('DELETE', `/live-activity/stream/${key}`, { content_state }),
	};
}

export type Api = ReturnType<typeof apiOf>;
