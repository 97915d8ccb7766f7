import {
	createServer,
	type IncomingMessage,
	request as forward,
	type Server,
	type ServerResponse,
} from 'node:http';
import type { AddressInfo } from 'node:net';
import { chmodSync, chownSync, rmSync, writeFileSync } from 'node:fs';
import { createServer as createTlsServer, type Server as TlsServer } from 'node:https';
import { join } from 'node:path';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { certificate } from '../gateways/support/certificate.ts';
import { temporaryDirectory } from '../support/directory.ts';
import { runCli, runJson, type ServerProcess, startProcess } from '../support/process.ts';
import { isOnPostgres, storeSettings } from '../support/store.ts';
import { readConfig, toStoreLocation } from '../../src/config.ts';
import { openDatabase } from '../../src/store/open.ts';
import { cliWithAccount } from '../support/cli.ts';
import { freePort } from '../support/free-port.ts';

const { data, directory, json } = cliWithAccount();

/** What a proxy does on its own; true: it has answered. */
type Part = (request: IncomingMessage, answer: ServerResponse) => boolean;

interface Found {
	check: string;
	state: 'ok' | 'failed' | 'skipped';
	says?: string;
}

describe('beckon-server doctor', () => {
	let server: ServerProcess;
	const open: Array<Server | TlsServer> = [];
	beforeAll(async () => {
		server = await startProcess(directory.path);
		const { link } = await json('account', 'setup-link', '--account', 'acme');
		const joined = await fetch(`${server.url}/console/api/join`, {
			method: 'POST',
			headers: { 'content-type': 'application/json' },
			body: JSON.stringify({
				token: String(link).split('#setup=')[1],
				...{ name: 'Olga', email: 'olga@example.com', password: 'correct horse battery staple' },
			}),
		});
		expect(joined.status).toBe(200);
	});
	afterAll(async () => {
		server.signal('SIGTERM');
		await server.finished;
	});
	afterEach(() => {
		for (const proxy of open.splice(0)) {
			proxy.close();
			proxy.closeAllConnections();
		}
	});

	/** A proxy in front of the server. */
	const startProxy = async (part: Part = () => false) => {
		const { port } = new URL(server.url);
		const proxy = createServer((incoming, outgoing) => {
			if (part(incoming, outgoing)) return;
			const { method, url: path, headers } = incoming;
			const passed = forward({ port, method, path, headers }, (answer) => {
				outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
				answer.pipe(outgoing);
			});
			passed.once('error', () => outgoing.destroy());
			incoming.pipe(passed);
		});
		open.push(proxy);
		await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
		return `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`;
	};
	const diagnose = async (settings: Record<string, string> = {}) => {
		const { code, stdout, stderr } = await runCli(['doctor', '--json', ...data], settings);
		expect(stderr).toBe('');
		const found = JSON.parse(stdout) as Found[];
		return { code, of: (name: string) => found.find(({ check }) => check === name), found };
	};
	const failed = ({ found }: { found: Found[] }) =>
		found.filter(({ state }) => state === 'failed').map(({ check }) => check);

	/** The owner's own is one. */
	const sessions = async () => {
		const settings = await storeSettings(directory.path);
		const database = await openDatabase(toStoreLocation(readConfig(settings)));
		const rows = await database.read.selectFrom('sessions').select('token_hash').execute();
		await database.close();
		return rows.length;
	};

	it('finds nothing wrong with a healthy server, and exits with 0', async () => {
		const proxied = await diagnose({ BECKON_PUBLIC_URL: await startProxy() });
		expect(failed(proxied)).toEqual([]);
		expect(proxied.code).toBe(0);
		expect(proxied.of('event stream')).toMatchObject({ state: 'ok' });
		expect(proxied.of('body size')).toMatchObject({ state: 'ok', says: '2 MB' });
		expect(proxied.of('push to iPhones')).toMatchObject({ state: 'skipped' });
		expect(await sessions()).toBe(1);
		const direct = await runCli(['doctor', ...data], { BECKON_PUBLIC_URL: server.url });
		expect(direct.stdout.split('\n').slice(0, 2)).toEqual([
			expect.stringMatching(/^CHECK +STATE/),
			expect.stringMatching(/^public address +ok +http:/),
		]);
	});

	it.each<[string, Part, string[], RegExp]>([
		[
			'refuses large bodies',
			({ url }, answer) => url === '/api/images' && Boolean(answer.writeHead(413).end()),
			['body size'],
			/2 MB/,
		],
		[
			'leads to another server',
			({ url }, answer) => /^\/console/.test(url ?? '') && Boolean(answer.writeHead(401).end()),
			['event stream'],
			/server with different data/,
		],
		[
			'holds event streams back',
			({ url }, answer) => {
				if (!/events$/.test(url ?? '')) return false;
				answer.writeHead(200).flushHeaders();
				return true;
			},
			['event stream'],
			/buffering/,
		],
		[
			'answers without the server',
			(_request, answer) => Boolean(answer.writeHead(502).end()),
			['public address', 'event stream'],
			/answers 502/,
		],
	])('says what to do about a proxy that %s', async (_what, part, checks, words) => {
		const result = await diagnose({ BECKON_PUBLIC_URL: await startProxy(part) });
		expect(failed(result)).toEqual(checks);
		expect(result.code).toBe(1);
		expect(result.of(checks[0]!)!.says).toMatch(words);
	});

	it('says of each check that does not apply why that is, and what to do', async () => {
		const skipped = ({ found }: { found: Found[] }) =>
			Object.fromEntries(
				found.flatMap(({ check, state, says }) => (state === 'skipped' ? [[check, says]] : [])),
			);
		const ofFiles = isOnPostgres
			? { disk: /PostgreSQL/, files: /PostgreSQL/, backup: /PostgreSQL/ }
			: { backup: /set BECKON_BACKUP_DIR/ };
		const reasons = {
			certificate: /need https: see docs\/proxies\.md/,
			'push to iPhones': /see docs\/operations\.md/,
			'push to browsers': /pair one/,
			clock: /pair a browser/,
			'alert account': /set BECKON_ALERT_ACCOUNT/,
			...ofFiles,
		};
		const expected = Object.entries(reasons).map(([check, words]) => [
			check,
			expect.stringMatching(words),
		]);
		expect(skipped(await diagnose())).toEqual(Object.fromEntries(expected));
		const withoutOwner = temporaryDirectory();
		const other = ['--data', withoutOwner.path];
		await runJson(['account', 'create', '--name', 'new', '--owner', 'o@example.com', ...other]);
		const settings = { BECKON_PUBLIC_URL: server.url };
		const { stdout } = await runCli(['doctor', '--json', ...other], settings);
		const found = JSON.parse(stdout) as Found[];
		expect(skipped({ found })['event stream']).toMatch(/use `account setup-link`/);
		withoutOwner.remove();
	});

	it.each<[string, [number, number], object]>([
		['has days', [-1, 8], { state: 'ok', says: expect.stringMatching(/^7 days left, until/) }],
		['ends soon', [-80, 9], { state: 'failed', says: expect.stringMatching(/^8 days .*log\.$/) }],
	])('says how long the certificate lasts, which %s', async (_what, days, found) => {
		const { key, cert } = certificate('Beckon test proxy', undefined, { days });
		const proxy = createTlsServer(
			{ key: key.export({ type: 'pkcs8', format: 'pem' }), cert },
			(_request, answer) => answer.end(),
		);
		open.push(proxy);
		await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
		const known = getCACertificates();
		setDefaultCACertificates([...known, cert]);
		try {
			const { port } = proxy.address() as AddressInfo;
			const { of } = await diagnose({ BECKON_PUBLIC_URL: `https://localhost:${port}` });
			expect(of('public address')).toMatchObject({ state: 'ok' });
			expect(of('certificate')).toMatchObject(found);
		} finally {
			setDefaultCACertificates(known);
		}
	});

	it('says that the address is not reached, with the reason', async () => {
		const result = await diagnose({ BECKON_PUBLIC_URL: `https://127.0.0.1:${await freePort()}` });
		expect(failed(result)).toEqual(['public address', 'certificate', 'event stream', 'body size']);
		expect(result.of('public address')!.says).toMatch(/was not reached: .*ECONNREFUSED/);
	});

	it('finds that nobody would be told, for want of an account', async () => {
		const result = await diagnose({ BECKON_ALERT_ACCOUNT: 'acme' });
		expect(result.of('alert account')).toMatchObject({ state: 'ok', says: 'acme' });
		expect((await diagnose({ BECKON_ALERT_ACCOUNT: 'acne' })).of('alert account')).toMatchObject({
			state: 'failed',
			says: 'There is no account named acne.',
		});
	});

	if (isOnPostgres)
		process.stderr.write('Backups and files are checked on SQLite: PostgreSQL has its own.\n');
	(isOnPostgres ? it.skip : it)(
		'finds no backup where one should be, and strange files',
		async () => {
			const folder = join(directory.path, 'backups');
			const { of, code } = await diagnose({ BECKON_BACKUP_DIR: folder });
			expect(of('backup')).toMatchObject({
				state: 'failed',
				says: expect.stringContaining(folder),
			});
			expect(of('disk')).toMatchObject({ says: expect.stringMatching(/^\d+ MB left/) });
			expect(code).toBe(1);
			chmodSync(directory.path, 0o755);
			const readable = join(directory.path, 'readable');
			writeFileSync(readable, '', { mode: 0o644 });
			expect((await diagnose()).of('files')).toMatchObject({
				state: 'failed',
				says: expect.stringMatching(/^readable: .* accessible to others.*; chmod go= /),
			});
			chmodSync(directory.path, 0o700);
			expect((await diagnose()).of('files')).toMatchObject({ state: 'ok' });
			rmSync(readable);
			if (process.geteuid?.() !== 0) return;
			const strange = join(directory.path, 'strange');
			writeFileSync(strange, '');
			chownSync(strange, 65_534, 65_534);
			expect((await diagnose()).of('files')).toMatchObject({
				state: 'failed',
				says: expect.stringMatching(/^strange: .*Run: chown -R 0 /),
			});
			rmSync(strange);
		},
	);
});
