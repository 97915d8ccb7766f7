import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
	chmodSync,
	mkdirSync,
	mkdtempSync,
	readdirSync,
	readFileSync,
	rmSync,
	statSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { install, pack } from './packed.ts';

/** Most bytes the installed server may take on disk, production dependencies included. */
const MAX_BYTES = 60_000_000;

/** Files occupy whole disk blocks. */
const BLOCK_BYTES = 4_096;

/** A user who owns nothing. */
const NOBODY = 65_534;

function bytesBelow(directory: string): number {
	return readdirSync(directory, { recursive: true, encoding: 'utf8' })
		.map((name) => statSync(join(directory, name)))
		.filter((entry) => entry.isFile())
		.reduce((sum, { size }) => sum + Math.ceil(size / BLOCK_BYTES) * BLOCK_BYTES, 0);
}

/**
 * Starts the installed server as a user who may write only the data, in a read-only tree, and waits until it is
 * ready: as in a container with a read-only file system.
 */
async function startAsStranger(root: string, program: string): Promise<void> {
	const data = join(root, 'data');
	mkdirSync(data);
	const isRoot = process.getuid?.() === 0;
	if (isRoot) {
		execFileSync('chmod', ['-R', 'a-w,a+rX', root]);
		execFileSync('chown', [`${NOBODY}:${NOBODY}`, data]);
		execFileSync('chmod', ['700', data]);
	} else console.log('Not root: the server is started as this user, who could write the tree.');
	const began = performance.now();
	const server = spawn(process.execPath, [program, 'start', '--json'], {
		cwd: data,
		env: { PATH: process.env['PATH'], NODE_ENV: 'production', BECKON_DATA: data, BECKON_PORT: '0' },
		stdio: ['ignore', 'pipe', 'inherit'],
		...(isRoot && { uid: NOBODY, gid: NOBODY }),
	});
	const ended = once(server, 'exit');
	const [line] = (await Promise.race([once(server.stdout, 'data'), ended])) as [unknown];
	if (!Buffer.isBuffer(line)) throw new Error(`The server ended with ${String(line)}`);
	const { url } = JSON.parse(line.toString()) as { url: string };
	const get = async (path: string) => {
		const answer = await fetch(`${url}${path}`);
		if (!answer.ok) throw new Error(`GET ${path} answers ${answer.status}`);
		return await answer.text();
	};
	await get('/readyz');
	console.log(`first answer ${Math.round(performance.now() - began)} ms after the start`);
	for (const path of ['/api/docs', '/api/openapi.json']) await get(path);
	for (const page of ['/phone', '/console']) {
		const [, licenses] = /<link rel="license" href="([^"]+)"/.exec(await get(page)) ?? [];
		if (licenses === undefined || !(await get(licenses)).includes('## react-dom '))
			throw new Error(`${page} does not lead to the licenses of its packages`);
	}
	server.kill('SIGTERM');
	const [code] = (await ended) as [number | null];
	if (code !== 0) throw new Error(`The server was stopped and exited with ${code}`);
}

/** @throws if the list of bundled packages lacks one that the program, a page or the worker contains */
function requireSbom(file: string): void {
	const { components } = JSON.parse(readFileSync(file, 'utf8')) as {
		components: Array<{ name: string }>;
	};
	const names = new Set(components.map(({ name }) => name));
	for (const name of ['fastify', '@fastify/cors', 'react-dom', '@mantine/core', 'idb-keyval'])
		if (!names.has(name)) throw new Error(`${file} does not list ${name}`);
	console.log(`${names.size} bundled packages in the SBOM`);
}

const directory = mkdtempSync(join(tmpdir(), 'beckon-package-'));
chmodSync(directory, 0o755);
try {
	const { tarball, bytes: size } = pack(directory);
	const installed = install(tarball, directory);
	const bytes = bytesBelow(installed);
	const megabytes = (value: number) => (value / 1e6).toFixed(1);
	console.log(
		`beckon-server: ${megabytes(size)} MB packed, ${megabytes(bytes)} MB installed (at most ${megabytes(MAX_BYTES)})`,
	);
	requireSbom(join(installed, 'beckon-server/dist/sbom.cdx.json'));
	await startAsStranger(directory, join(installed, '.bin', 'beckon-server'));
	if (bytes > MAX_BYTES) {
		console.error(
			'Too large. See which dependency it is, and bundle it (server/scripts/vite.server.config.ts).',
		);
		process.exitCode = 1;
	}
} finally {
	rmSync(directory, { recursive: true });
}
