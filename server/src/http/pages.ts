import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { FastifyInstance } from 'fastify';
import { memoryFiles } from './memory-files.ts';
import { sendNotFound } from './not-found.ts';

/**
 * A page can load its own files, and the pictures and sounds that notifications name. Inline scripts and
 * style elements are forbidden: a sender's text can never become one. (React and Mantine set single
 * style properties through the DOM, which the policy does not restrict.)
 */
const CONTENT_SECURITY_POLICY = [
	"default-src 'self'",
	"script-src 'self'",
	"style-src 'self'",
	"img-src 'self' https: data:",
	'media-src https:',
	"connect-src 'self'",
	"object-src 'none'",
	"base-uri 'none'",
	"form-action 'none'",
	"frame-ancestors 'none'",
].join('; ');

const PAGES = ['phone', 'console'];

/** File names there contain a hash of the content. */
const ASSETS = /^\/(phone|console)\/assets\//;

/** The phone's service worker lies below /phone/, but must also control /phone. */
const WORKER = '/phone/sw.js';

/** The pages, next to the built program or where a source checkout builds them; undefined if they are not built. */
function findPages(): string | undefined {
	return ['web', '../../dist/web']
		.map((folder) => join(import.meta.dirname, folder))
		.find((folder) => existsSync(join(folder, 'phone', 'index.html')));
}

/** GET /phone: the page that pairs a browser as a phone. GET /console: the page for an account's members. */
export function registerPages(app: FastifyInstance): void {
	const root = findPages();
	if (root === undefined) return;
	app.addHook('onSend', (request, reply, payload, done) => {
		const [path = ''] = request.url.split('?');
		const isForEver = reply.statusCode === 200 && ASSETS.test(path);
		if (path === WORKER) reply.header('service-worker-allowed', '/phone');
		reply.headers({
			// no-cache: stored, but revalidated, so no browser is left with an old version.
			'cache-control': isForEver ? 'public, max-age=31536000, immutable' : 'no-cache',
			'content-security-policy': CONTENT_SECURITY_POLICY,
			'referrer-policy': 'no-referrer',
			'x-frame-options': 'DENY',
		});
		done(null, payload);
	});
	for (const page of PAGES.filter((name) => existsSync(join(root, name)))) {
		const send = memoryFiles(join(root, page));
		app.get<{ Params: { '*'?: string } }>(`/${page}/*`, (request, reply) => {
			if (!send(request, reply, request.params['*'] ?? '')) sendNotFound(request, reply);
		});
		app.get(`/${page}`, (request, reply) => void send(request, reply, 'index.html'));
	}
	app.get('/', (_request, reply) => reply.redirect('/phone'));
}
