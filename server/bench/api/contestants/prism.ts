import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { installFolder } from '../../../../scripts/lib/install-folder.ts';
import { waitFor } from '../../../test/support/wait.ts';
import { Load } from '../load/load.ts';
import type { Contestant } from './contestant.ts';

const FOLDER = join(import.meta.dirname, 'prism');
const COMMAND = join(FOLDER, 'node_modules/@stoplight/prism-cli/dist/index.js');

/** Prism's mock of an OpenAPI document, as `prism mock` runs it. */
export async function startPrism(openapi: unknown, keys: string[]): Promise<Contestant> {
	await installFolder(FOLDER, { announcement: 'Installing Prism; this takes half a minute …' });
	const directory = mkdtempSync(join(tmpdir(), 'beckon-prism-'));
	const document = join(directory, 'openapi.json');
	writeFileSync(document, JSON.stringify(openapi));
	const port = await freePort();
	const child = spawn(process.execPath, [COMMAND, 'mock', document, '--port', String(port)], {
		stdio: ['ignore', 'ignore', 'inherit'],
	});
	const origin = `http://127.0.0.1:${port}`;
	await waitFor('Prism to listen', () => fetch(origin).then(Boolean, () => false), 30_000);
	const load = new Load({ url: origin, keys });
	return {
		name: 'Prism',
		load,
		async close() {
			load.close();
			const exited = once(child, 'exit');
			child.kill('SIGKILL');
			await exited;
			rmSync(directory, { recursive: true });
		},
	};
}

async function freePort(): Promise<number> {
	const server = createServer().listen(0, '127.0.0.1');
	await once(server, 'listening');
	const address = server.address();
	server.close();
	if (address === null || typeof address === 'string') throw new Error('No free port');
	return address.port;
}
