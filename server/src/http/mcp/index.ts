import { randomUUID } from 'node:crypto';
import { bearerToken, Gate, requireCaller } from '../gate.ts';
import { goneSignal } from '../connections.ts';
import type { HttpParts, TypedApp } from '../typed-app.ts';
import { forbidden } from '../../service/refusal.ts';

/** Messages that agents repeat for every session. They count only toward the limit of the address. */
const FREE = /^(initialize|server\/discover|ping|tools\/list|notifications\/\w+)$/;

/**
 * The server for agents (docs/agents.md): the public API as tools of the Model Context Protocol.
 * Its library is loaded with the first message, since most servers never get one.
 */
export function registerMcp(app: TypedApp, parts: HttpParts): void {
	const gate = new Gate(app, parts, 'api', ({ headers }) => bearerToken(headers.authorization));
	app.route({
		method: ['POST', 'GET', 'DELETE'],
		url: '/mcp',
		onRequest: async (request, reply) => {
			requireOwnOrigin(request.headers.origin, parts);
			await gate.admit(request, reply, 'mcp', 'address');
		},
		handler: async (request, reply) => {
			// A stream of its own, and the end of a session, are for servers that keep sessions.
			if (request.method !== 'POST') {
				const message = 'Send every message with POST.';
				return reply
					.status(405)
					.header('allow', 'POST')
					.send({ error: 'Method Not Allowed', message });
			}
			if (Array.isArray(request.body)) {
				const message = 'Send one message in each request: this protocol has no batches.';
				return reply.status(400).send({ error: 'Invalid request', message });
			}
			const { context } = parts;
			const gone = goneSignal(reply);
			const { method } = Object(request.body) as { method?: unknown };
			if (!FREE.test(String(method)))
				await gate.spend(reply, 'mcp', requireCaller(request).accountId);
			// Distinguishes the clients of one key when they cancel a call; the server keeps no session.
			if (method === 'initialize') reply.header('mcp-session-id', randomUUID());
			const { respond } = await import('./messages.ts');
			return reply.send(await respond(app, request, { context, gone }));
		},
	});
}

/** A page of another site must not act with a key that it guesses from inside a network (DNS rebinding). */
function requireOwnOrigin(origin: string | undefined, { config }: HttpParts): void {
	if (origin === undefined || origin === URL.parse(config.BECKON_PUBLIC_URL)?.origin) return;
	throw forbidden(
		'Forbidden',
		`Pages of ${origin} may not use this address. Agents send no Origin.`,
	);
}
