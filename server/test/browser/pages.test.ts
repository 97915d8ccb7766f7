import { readdirSync, readFileSync } from 'node:fs';
import { get, type IncomingHttpHeaders } from 'node:http';
import { join } from 'node:path';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { requirePages, RestartableServer } from './support/server.ts';

const WEB = join(import.meta.dirname, '../../dist/web');
const MANTINE = join(import.meta.dirname, '../../../node_modules/@mantine/core/styles.css');

/** Bytes that a first visit may fetch before it shows something, compressed. */
const MOST_BYTES = { phone: 115_000, console: 150_000 };

let server: RestartableServer;

beforeAll(async () => {
	requirePages();
	server = new RestartableServer();
	await server.start();
});

afterAll(() => server?.remove());

interface Received {
	headers: IncomingHttpHeaders;
	body: Buffer;
}

/** As a browser asks; fetch() would decompress. */
function ask(path: string, encodings: string): Promise<Received> {
	return new Promise((resolve, reject) => {
		get(server.url + path, { headers: { 'accept-encoding': encodings } }, (response) => {
			const chunks: Buffer[] = [];
			response.on('data', (chunk: Buffer) => chunks.push(chunk));
			response.on('end', () => resolve({ headers: response.headers, body: Buffer.concat(chunks) }));
		}).on('error', reject);
	});
}

/** The page and the files that it names. */
async function filesOf(page: string): Promise<string[]> {
	const html = (await ask(`/${page}`, 'identity')).body.toString();
	return [`/${page}`, ...(html.match(/\/\w+\/assets\/[\w.-]+\.(js|css)/g) ?? [])];
}

describe.each(['phone', 'console'] as const)('the page /%s', (page) => {
	it('comes with its files as brotli, as gzip, or plain, as the browser can read', async () => {
		const files = [...(await filesOf(page)), ...(page === 'phone' ? ['/phone/sw.js'] : [])];
		expect(files.length).toBeGreaterThan(2);
		for (const file of files) {
			const plain = await ask(file, 'identity');
			expect([file, plain.headers['content-encoding']]).toEqual([file, undefined]);
			for (const [encodings, encoding, decompress] of [
				['gzip, deflate, br, zstd', 'br', brotliDecompressSync],
				['gzip, deflate', 'gzip', gunzipSync],
			] as const) {
				const { headers, body } = await ask(file, encodings);
				expect([file, headers['content-encoding']]).toEqual([file, encoding]);
				expect(headers.vary).toMatch(/accept-encoding/i);
				expect(headers['content-type']).toBe(plain.headers['content-type']);
				expect(headers['cache-control']).toBe(plain.headers['cache-control']);
				expect(headers['content-security-policy']).toContain("script-src 'self'");
				expect(decompress(body).equals(plain.body)).toBe(true);
			}
		}
	});

	it('is small on a phone’s network', async () => {
		let bytes = 0;
		for (const file of await filesOf(page)) bytes += (await ask(file, 'br')).body.length;
		expect(bytes).toBeLessThan(MOST_BYTES[page]);
	});
});

it('the console has the styles of every part of Mantine that it uses', () => {
	const assets = readdirSync(join(WEB, 'console/assets'));
	const text = (end: string) =>
		assets
			.filter((name) => name.endsWith(end))
			.map((name) => readFileSync(join(WEB, 'console/assets', name), 'utf8'))
			.join('\n');
	const classesIn = (css: string) => new Set(css.match(/\bm_[0-9a-f]{6,8}\b/g));
	const [styles, all] = [classesIn(text('.css')), classesIn(readFileSync(MANTINE, 'utf8'))];
	const used = [...classesIn(text('.js'))].filter((name) => all.has(name));
	expect(used.length).toBeGreaterThan(50);
	expect(used.filter((name) => !styles.has(name))).toEqual([]);
});
