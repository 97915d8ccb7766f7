import { existsSync } from 'node:fs';
import { join } from 'node:path';
import fastifyStatic from '@fastify/static';
import type { FastifyInstance } from 'fastify';

/**
 * What a page may load: its own files, and the pictures and sounds that a sender's notifications
 * name. No inline script and no inline style element: what a sender writes can never become one.
 * (React and Mantine set single style properties through the DOM, which no policy has to allow.)
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

/** Files there have a hash of their content in their names. */
const ASSETS = /^\/(phone|console)\/assets\//;

/** The phone's service worker lies below /phone/, and is to work for /phone too. */
const WORKER = '/phone/sw.js';

/** GET /phone: the page that a browser pairs as a phone. GET /console: the page of who runs the account. */
export async function registerPages(app: FastifyInstance, webRoot: string): Promise<void> {
	app.addHook('onSend', (request, reply, payload, done) => {
		const [path = ''] = request.url.split('?');
		const isForEver = reply.statusCode === 200 && ASSETS.test(path);
		if (path === WORKER) reply.header('service-worker-allowed', '/phone');
		reply.headers({
			// no-cache: kept, but asked for again, so that nobody is left with an old version.
			'cache-control': isForEver ? 'public, max-age=31536000, immutable' : 'no-cache',
			'content-security-policy': CONTENT_SECURITY_POLICY,
			'referrer-policy': 'no-referrer',
			'x-frame-options': 'DENY',
		});
		done(null, payload);
	});
	const built = PAGES.filter((page) => existsSync(join(webRoot, page)));
	for (const [index, page] of built.entries()) {
		await app.register(fastifyStatic, {
			root: join(webRoot, page),
			prefix: `/${page}`,
			redirect: false,
			prefixAvoidTrailingSlash: true,
			index: false,
			decorateReply: index === 0,
		});
		app.get(`/${page}`, (_request, reply) => reply.sendFile('index.html', join(webRoot, page)));
	}
	app.get('/', (_request, reply) => reply.redirect('/phone'));
}
