import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { freePort } from '../../test/support/free-port.ts';

export interface Ntfy {
	url: string;
	close(): Promise<void>;
}

/** As durable as a push of Beckon: on the disk before the answer. */
const DURABLE = 'pragma journal_mode = WAL; pragma synchronous = full;';

const START_SECONDS = 10;

export function versionOf(program: string): string {
	const text = execFileSync(program, ['--version'], { encoding: 'utf8' });
	const [, version] = /^ntfy version (\S+)/m.exec(text) ?? [];
	if (version === undefined) throw new Error(`${program} --version names no version of ntfy`);
	return version;
}

/** Starts the program with an empty cache on disk, without limits on requests and topics. */
export async function startNtfy(program: string, topics: number): Promise<Ntfy> {
	const directory = mkdtempSync(join(tmpdir(), 'beckon-ntfy-'));
	const port = await freePort();
	const url = `http://127.0.0.1:${port}`;
	const config = join(directory, 'server.yml');
	writeFileSync(
		config,
		JSON.stringify({
			'base-url': url,
			'listen-http': `127.0.0.1:${port}`,
			'cache-file': join(directory, 'cache.db'),
			'cache-startup-queries': DURABLE,
			'global-topic-limit': topics + 100,
			'visitor-subscription-limit': 1_000,
			'visitor-topic-creation-limit-burst': 0,
			'visitor-request-limit-burst': 1_000_000_000,
			'visitor-request-limit-exempt-hosts': '127.0.0.1',
			'web-root': 'disable',
		}),
	);
	const child = spawn(program, ['serve', '--config', config], { stdio: 'ignore' });
	const ended = once(child, 'exit');
	const close = async () => {
		child.kill('SIGTERM');
		await ended;
		rmSync(directory, { recursive: true });
	};
	for (let waited = 0; waited < START_SECONDS * 10; waited += 1) {
		const answer = await fetch(`${url}/v1/health`).catch(() => undefined);
		if (answer?.ok) return { url, close };
		await setTimeout(100);
	}
	await close();
	throw new Error(`ntfy did not answer within ${START_SECONDS} s`);
}
