import { bearerToken } from '../authorization.ts';
import { Gate } from '../gate.ts';
import type { HttpParts } from '../parts.ts';
import { forbidden } from '../../service/refusal.ts';
import type { TypedApp } from '../typed-app.ts';

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
			assertOwnOrigin(request.headers.origin, parts);
			await gate.admit(request, reply, 'lists');
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
			const { answerMessage } = await import('./messages.ts');
			return reply.send(await answerMessage(app, request));
		},
	});
}

/** A page of another site must not act with a key that it guesses from inside a network (DNS rebinding). */
function assertOwnOrigin(origin: string | undefined, { config }: HttpParts): void {
	if (origin === undefined || origin === originOf(config.BECKON_PUBLIC_URL)) return;
	throw forbidden(
		'Forbidden',
		`Pages of ${origin} may not use this address. Agents send no Origin.`,
	);
}

function originOf(url: string): string | undefined {
	return URL.canParse(url) ? new URL(url).origin : undefined;
}
