import { execFileSync, spawn } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { request } from 'node:https';
import { join } from 'node:path';
import { freePort } from '../../support/free-port.ts';
import { waitFor } from '../../support/wait.ts';

const GUIDE = join(import.meta.dirname, '../../../../docs/operations.md');

/** Options for a Caddy that is not the machine's own: it changes nothing outside its folder. */
const GLOBAL_OPTIONS = '{\n\tadmin off\n\tauto_https disable_redirects\n\tskip_install_trust\n}\n';

export interface HttpsProxy {
	/** The name in the guide, with the proxy's port. */
	url: string;
	name: string;
	/** The file with the certificate of Caddy's own authority. */
	authority: string;
	close(): Promise<void>;
}

/** The guide's code blocks of one language. */
export function blocksOf(language: string): string[] {
	const guide = readFileSync(GUIDE, 'utf8');
	return [...guide.matchAll(/^```(\w+)\n([^]*?)^```$/gm)]
		.filter(([, written]) => written === language)
		.map(([, , block]) => block!);
}

/** Starts Debian's Caddy with the file that the guide shows, on a free port, in front of the server. */
export async function startHttpsProxy(folder: string, server: string): Promise<HttpsProxy> {
	const [shown = ''] = blocksOf('caddyfile');
	const name = /^[\w.]+/.exec(shown)?.[0] ?? '';
	const port = await freePort();
	const file = join(folder, 'Caddyfile');
	const site = shown.replace(name, `${name}:${port}`).replace('127.0.0.1:8787', server);
	writeFileSync(file, GLOBAL_OPTIONS + site);
	const child = spawn('caddy', ['run', '--config', file, '--adapter', 'caddyfile'], {
		env: { ...process.env, HOME: folder, XDG_DATA_HOME: folder, XDG_CONFIG_HOME: folder },
		stdio: ['ignore', 'ignore', 'pipe'],
	});
	let log = '';
	child.stderr.setEncoding('utf8').on('data', (text: string) => (log += text));
	child.once('error', (error) => (log += String(error)));
	const ended = new Promise((resolve) => child.once('close', resolve));
	const authority = join(folder, 'caddy/pki/authorities/local/root.crt');
	await waitFor('Caddy to answer', async () => {
		if (child.exitCode !== null || child.pid === undefined) throw new Error(`Caddy ended: ${log}`);
		return existsSync(authority) && (await answers(name, port, readFileSync(authority)));
	});
	return {
		url: `https://${name}:${port}`,
		name,
		authority,
		async close() {
			child.kill('SIGKILL');
			await ended;
			rmSync(folder, { recursive: true });
		},
	};
}

function answers(servername: string, port: number, ca: Buffer): Promise<boolean> {
	return new Promise((resolve) => {
		const asked = request(
			{ host: '127.0.0.1', port, servername, headers: { host: servername }, ca, path: '/healthz' },
			(response) => resolve(response.resume().statusCode === 200),
		);
		asked.once('error', () => resolve(false)).end();
	});
}

/** Makes browsers whose HOME is this folder trust the authority, by the commands that the guide shows. */
export function trust(authority: string, home: string): void {
	const database = join(home, '.pki/nssdb');
	mkdirSync(database, { recursive: true });
	const certutil = (...words: string[]) =>
		execFileSync('certutil', ['-d', `sql:${database}`, ...words]);
	certutil('-N', '--empty-password');
	certutil('-A', '-t', 'C,,', '-n', 'Caddy', '-i', authority);
}
