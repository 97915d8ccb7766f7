import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';

import type { Line } from './lines.ts';
import type { Namespace } from './namespaces.ts';
import { freePorts } from './ports.ts';
import { until } from './wait.ts';

const GUARD = path.join(import.meta.dirname, 'guard.cjs');

const READY = 'Editor is now accessible via';

const STOP_SECONDS = 30;

const LAST_LINES = 30;

/** Settings of a freshly installed n8n, but without outside calls. */
function settings(folder: string): Record<string, string> {
	return {
		N8N_USER_FOLDER: folder,
		N8N_SECURE_COOKIE: 'false',
		N8N_LOG_LEVEL: 'info',
		N8N_DIAGNOSTICS_ENABLED: 'false',
		N8N_VERSION_NOTIFICATIONS_ENABLED: 'false',
		N8N_VERSION_NOTIFICATIONS_WHATS_NEW_ENABLED: 'false',
		N8N_DYNAMIC_BANNERS_ENABLED: 'false',
		N8N_TEMPLATES_ENABLED: 'false',
		N8N_PERSONALIZATION_ENABLED: 'false',
		N8N_HIRING_BANNER_ENABLED: 'false',
		N8N_LICENSE_AUTO_RENEW_ENABLED: 'false',
		N8N_VERIFIED_PACKAGES_ENABLED: 'false',
		// n8n 2 does by default; the tests in the engine have files in memory.
		N8N_DEFAULT_BINARY_DATA_MODE: 'filesystem',
		EXTERNAL_FRONTEND_HOOKS_URLS: '',
		NODE_OPTIONS: `--require "${GUARD}"`,
		NO_COLOR: '1',
	};
}

/** The network in which an n8n runs. */
interface Place {
	url: string;
	settings: Record<string, string>;
	/** The command line that runs another one there. */
	inside: (command: readonly string[]) => string[];
}

async function onLoopback(): Promise<Place> {
	const [port, brokerPort] = await freePorts(2);
	return {
		url: `http://127.0.0.1:${port}`,
		settings: {
			N8N_LISTEN_ADDRESS: '127.0.0.1',
			N8N_HOST: '127.0.0.1',
			N8N_PORT: String(port),
			N8N_RUNNERS_BROKER_PORT: String(brokerPort),
		},
		inside: (command) => [...command],
	};
}

/** This process's environment, without anything that n8n or Node would read as settings. */
function environment(own: Record<string, string>): NodeJS.ProcessEnv {
	const inherited = Object.entries(process.env).filter(
		([name]) =>
			!/^(N8N_|DB_|EXECUTIONS_|WEBHOOK_|GENERIC_|JEST_|NODE_OPTIONS$|NODE_ENV$|npm_)/.test(name),
	);
	return { ...Object.fromEntries(inherited), ...own };
}

/** A real n8n in its own process, with all its data in one folder. */
export class N8nServer {
	/** Its address for people and programs. */
	readonly url: string;

	private readonly line: Line;

	private readonly environment: NodeJS.ProcessEnv;

	private readonly place: Place;

	private readonly logFile: string;

	private child: ChildProcess | undefined;

	private constructor(line: Line, folder: string, logFile: string, place: Place) {
		this.line = line;
		this.url = place.url;
		this.environment = environment({ ...settings(folder), ...place.settings });
		this.place = place;
		this.logFile = logFile;
	}

	/**
	 * Creates an n8n that is not started yet. It keeps its ports across restarts.
	 * @param folder holds its data
	 * @param logFile its log is appended here
	 */
	static async create(line: Line, folder: string, logFile: string): Promise<N8nServer> {
		return new N8nServer(line, folder, logFile, await onLoopback());
	}

	/** Creates one in a namespace, with the addresses and ports that n8n has in its image. */
	static createIn(namespace: Namespace, line: Line, folder: string, logFile: string): N8nServer {
		return new N8nServer(line, folder, logFile, {
			url: `http://${namespace.address}:5678`,
			settings: { GUARD_HOSTS: namespace.neighbours.join(',') },
			inside: namespace.inside,
		});
	}

	/**
	 * @param more settings that apply until the next start
	 * @throws with n8n's last output if it is not ready in time
	 */
	async start(more: Record<string, string> = {}): Promise<void> {
		const main = path.join(this.line.folder, 'node_modules/n8n/bin/n8n');
		const [program = '', ...words] = this.place.inside([process.execPath, main, 'start']);
		const child = spawn(program, words, {
			env: { ...this.environment, ...more },
			// Through this channel n8n notices that the tests have ended; see guard.cjs.
			stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
		});
		this.child = child;
		const file = createWriteStream(this.logFile, { flags: 'a' });
		let log = '';
		for (const stream of [child.stdout, child.stderr]) {
			stream?.setEncoding('utf8').on('data', (text: string) => {
				log += text;
				file.write(text);
			});
		}
		child.once('close', () => file.end());
		const outcome = until(
			() => {
				if (this.hasEnded) throw new Error(`it ended with exit code ${child.exitCode}`);
				return log.includes(READY) || undefined;
			},
			{ what: `start of ${this.line.name}`, isFinal: () => this.hasEnded },
		);
		await outcome.catch((error: unknown) => {
			const last = log.trimEnd().split('\n').slice(-LAST_LINES).join('\n');
			throw new Error(`${String(error)}\n${last}`);
		});
	}

	/** Stops it as an administrator does. If it does not end in time, it is killed. */
	async stop(): Promise<void> {
		const { child } = this;
		if (!child || this.hasEnded) return;
		const ended = once(child, 'exit');
		child.kill('SIGTERM');
		const inTime = await Promise.race([
			ended.then(() => true),
			pause(STOP_SECONDS * 1_000, false, { ref: false }),
		]);
		if (inTime) return;
		child.kill('SIGKILL');
		await ended;
	}

	/** Ends it as a lost machine does. */
	async kill(): Promise<void> {
		const { child } = this;
		if (!child || this.hasEnded) return;
		const ended = once(child, 'exit');
		child.kill('SIGKILL');
		await ended;
	}

	async restart(more: Record<string, string> = {}): Promise<void> {
		await this.stop();
		await this.start(more);
	}

	/** Calls a webhook by its path as soon as it listens: n8n 2 activates first and listens later. */
	async callWebhook(webhook: string): Promise<Response> {
		const call = async () => {
			const response = await fetch(`${this.url}/webhook/${webhook}`, { method: 'POST' });
			return response.status === 404 ? undefined : response;
		};
		return await until(call, { what: `webhook ${webhook}` });
	}

	private get hasEnded(): boolean {
		return this.child?.exitCode !== null || this.child.signalCode !== null;
	}
}
