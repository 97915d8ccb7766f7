import { join } from 'node:path';
import fastifyStatic from '@fastify/static';
import type { FastifyInstance } from 'fastify';

/**
 * What a page may load: its own files, and the pictures and sounds that a sender's notifications
 * name. No inline script: what a sender writes can never become one.
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

/** GET /phone: the page that a browser pairs as a phone. */
export async function registerPages(app: FastifyInstance, webRoot: string): Promise<void> {
	app.addHook('onSend', (_request, reply, payload, done) => {
		reply.headers({
			'content-security-policy': CONTENT_SECURITY_POLICY,
			'referrer-policy': 'no-referrer',
			'x-frame-options': 'DENY',
		});
		done(null, payload);
	});
	await app.register(fastifyStatic, {
		root: join(webRoot, 'phone'),
		prefix: '/phone',
		redirect: false,
		prefixAvoidTrailingSlash: true,
		index: false,
	});
	app.get('/phone', (_request, reply) => reply.sendFile('index.html'));
	app.get('/', (_request, reply) => reply.redirect('/phone'));
}
