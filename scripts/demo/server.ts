import { execFile, spawn, type ChildProcess } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';
import type { Seed } from '../../server/test/support/seeded.ts';
import type { SignedIn } from './side-by-side.ts';

const run = promisify(execFile);

const SERVER = path.join(import.meta.dirname, '../../server');

const MAIN = path.join(SERVER, 'dist/main.js');

/** Takes commands, each a line of JSON, one of which fills the store. */
const COMMANDS = path.join(SERVER, 'test/support/commands.ts');

/** The default port; if it is taken, another one is used. */
const USUAL_PORT = 8787;

interface Setup {
	link: string;
}

export interface DemoServer {
	url: string;
	seed: Seed;
	/** The account's owner. Nobody else can sign in as the owner: the password is forgotten at once. */
	owner: SignedIn;
	/** Kills it, and starts it again at the same address. */
	killAndStart: () => Promise<void>;
	stop: () => Promise<void>;
}

async function isFree(port: number): Promise<boolean> {
	const probe = createServer();
	try {
		probe.listen(port, '127.0.0.1');
		await once(probe, 'listening');
		return true;
	} catch {
		return false;
	} finally {
		probe.close();
	}
}

async function listening(server: ChildProcess): Promise<string> {
	if (!server.stdout) throw new Error('The server has no output to read');
	const lines = createInterface({ input: server.stdout });
	const line = await Promise.race([
		once(lines, 'line').then(([text]) => String(text)),
		once(server, 'exit').then(([code]) => {
			throw new Error(`The server ended with exit code ${code} before it listened`);
		}),
	]);
	lines.close();
	return (JSON.parse(line) as { url: string }).url;
}

/** Follows the setup link as the account's owner. @returns the opened session */
async function setUp(url: string, link: string): Promise<SignedIn> {
	const token = new URLSearchParams(new URL(link).hash.slice(1)).get('setup');
	const response = await fetch(`${url}/console/api/join`, {
		method: 'POST',
		headers: { 'content-type': 'application/json' },
		body: JSON.stringify({
			token,
			name: 'Ada',
			email: 'owner@example.com',
			password: randomBytes(24).toString('base64url'),
		}),
	});
	if (!response.ok) throw new Error(`The console's setup answered ${response.status}`);
	return { cookies: response.headers.getSetCookie() };
}

/**
 * Starts the built server on its own data directory, and seeds the demo account.
 * @param wanted its port, if that is free; 0: any
 * @param settings further BECKON_ settings
 */
export async function startServer(
	wanted = USUAL_PORT,
	settings: Record<string, string> = {},
): Promise<DemoServer> {
	const data = mkdtempSync(path.join(tmpdir(), 'beckon-demo-'));
	const port = (await isFree(wanted)) ? wanted : 0;
	const environment = {
		...process.env,
		BECKON_DATA: data,
		BECKON_LOG_LEVEL: 'error',
		// The buttons of the demo call this machine.
		BECKON_WEBHOOK_ALLOW_PRIVATE: 'true',
		...settings,
	};
	const start = (at: string) =>
		spawn(process.execPath, [MAIN, 'start', '--json', '--port', at], {
			env: environment,
			stdio: ['ignore', 'pipe', 'inherit'],
		});
	let server = start(String(port));
	const stop = async () => {
		if (server.exitCode === null) {
			server.kill('SIGTERM');
			await once(server, 'exit');
		}
		rmSync(data, { recursive: true, force: true });
	};
	try {
		const url = await listening(server);
		const running = run(process.execPath, [COMMANDS]);
		const commands = [['seed'], ['account', 'setup-link', '--account', 'demo']];
		for (const args of commands)
			running.child.stdin?.write(`${JSON.stringify({ args, settings: environment })}\n`);
		running.child.stdin?.end();
		const [seed, setup] = (await running).stdout
			.trim()
			.split('\n')
			.map((line): unknown => JSON.parse((JSON.parse(line) as { stdout: string }).stdout)) as [
			Seed,
			Setup,
		];
		const owner = await setUp(url, setup.link);
		const killAndStart = async () => {
			server.kill('SIGKILL');
			await once(server, 'exit');
			server = start(new URL(url).port);
			await listening(server);
		};
		return { url, seed, owner, killAndStart, stop };
	} catch (error) {
		await stop();
		throw error;
	}
}
