import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { freePort } from '../../support/free-port.ts';
import { waitFor } from '../../support/wait.ts';

const ROOT = join(import.meta.dirname, '../../../..');

export interface Caddy {
	url: string;
	/** It stands still for `ms`. */
	freeze(ms: number): Promise<void>;
	close(): Promise<void>;
}

/** The shipped Caddyfile in front of `server`, but without TLS, which would need a real name. */
export function startCaddy(server: string): Promise<Caddy> {
	const shipped = readFileSync(join(ROOT, 'deploy/Caddyfile'), 'utf8');
	return runCaddy(shipped.replace('beckon:8787', new URL(server).host));
}

/** In front of several servers, as docs/operations.md says, but without TLS. */
export function startCaddyForSeveral(servers: readonly string[]): Promise<Caddy> {
	const page = readFileSync(join(ROOT, 'docs/operations.md'), 'utf8');
	const [, file] =
		/```caddyfile\n(beckon\.example\.com \{\n\treverse_proxy server-1:8787.*?)```/s.exec(page) ??
		[];
	if (file === undefined)
		throw new Error('docs/operations.md has no Caddyfile for several servers');
	const hosts = servers.map((server) => new URL(server).host).join(' ');
	return runCaddy(
		file
			.replace('beckon.example.com', '{$BECKON_DOMAIN}')
			.replace('server-1:8787 server-2:8787 server-3:8787', hosts),
	);
}

async function runCaddy(caddyfile: string): Promise<Caddy> {
	const directory = mkdtempSync(join(tmpdir(), 'beckon-caddy-'));
	const [port, other] = [await freePort(), await freePort()];
	const url = `http://127.0.0.1:${port}`;
	const file = join(directory, 'Caddyfile');
	writeFileSync(file, `{\n\tadmin off\n}\n${caddyfile}`);
	const child = spawn('caddy', ['run', '--config', file, '--adapter', 'caddyfile'], {
		env: {
			...process.env,
			HOME: directory,
			XDG_DATA_HOME: directory,
			XDG_CONFIG_HOME: directory,
			BECKON_DOMAIN: url,
			N8N_DOMAIN: `http://127.0.0.1:${other}`,
		},
		stdio: ['ignore', 'ignore', 'pipe'],
	});
	let log = '';
	child.stderr.setEncoding('utf8').on('data', (text: string) => (log += text));
	const ended = new Promise((resolve) => child.once('exit', resolve));
	await waitFor('Caddy to answer', async () => {
		if (child.exitCode !== null) throw new Error(`Caddy ended: ${log}`);
		return fetch(`${url}/healthz`).then(
			({ ok }) => ok,
			() => false,
		);
	});
	return {
		url,
		async freeze(ms) {
			child.kill('SIGSTOP');
			await setTimeout(ms);
			child.kill('SIGCONT');
		},
		async close() {
			child.kill('SIGKILL');
			await ended;
			rmSync(directory, { recursive: true });
		},
	};
}
