import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { fastify, type FastifyInstance } from 'fastify';
import { memoryFiles } from '../../src/http/memory-files.ts';
import { temporaryDirectory } from '../support/directory.ts';
import { leaveOutOfPacked } from '../support/left-out.ts';

describe('a folder of files', () => {
	const directory = temporaryDirectory();
	let app: FastifyInstance;
	beforeAll(() => {
		leaveOutOfPacked('an app of its own');
		const root = join(directory.path, 'root');
		mkdirSync(join(root, 'assets'), { recursive: true });
		writeFileSync(join(directory.path, 'secret.js'), 'secret');
		for (const [name, text] of Object.entries({
			'page.html': 'page',
			'page.html.br': 'page in brotli',
			'page.html.gz': 'page in gzip',
			'assets/a.js': 'script',
			'notes.md': 'notes',
		}))
			writeFileSync(join(root, name), text);
		const send = memoryFiles(root);
		app = fastify();
		app.get<{ Params: { '*': string } }>('/*', (request, reply) => {
			if (!send(request, reply, request.params['*'])) reply.callNotFound();
		});
	});
	afterAll(async () => {
		await app?.close();
		directory.remove();
	});
	const get = (url: string, headers: Record<string, string> = {}, method: 'GET' | 'HEAD' = 'GET') =>
		app.inject({ method, url, headers });

	it.each([
		['', 'page', undefined],
		['gzip', 'page in gzip', 'gzip'],
		['gzip, deflate, br', 'page in brotli', 'br'],
		['br;q=0, gzip', 'page in gzip', 'gzip'],
		['brand', 'page', undefined],
	])('has compressed copies for browsers that accept "%s"', async (accepted, text, encoding) => {
		const { body, headers } = await get('/page.html', { 'accept-encoding': accepted });
		expect([body, headers['content-encoding']]).toEqual([text, encoding]);
		expect(headers).toMatchObject({
			'content-type': 'text/html; charset=utf-8',
			vary: 'accept-encoding',
		});
	});

	it('is not sent again to a browser that has the same bytes', async () => {
		const { headers } = await get('/assets/a.js');
		const again = await get('/assets/a.js', { 'if-none-match': `W/"x", ${headers.etag}` });
		expect([again.statusCode, again.body]).toEqual([304, '']);
		expect((await get('/assets/a.js', { 'if-none-match': '"x"' })).body).toBe('script');
		const head = await get('/assets/a.js', {}, 'HEAD');
		expect([head.headers['content-length'], head.body]).toEqual(['6', '']);
	});

	it.each(['/assets', '/assets/', '/none.js', '/notes.md', '/page.html.br', '/..%2Fsecret.js'])(
		'has nothing at %s',
		async (url) => {
			expect((await get(url)).statusCode).toBe(404);
		},
	);
});
