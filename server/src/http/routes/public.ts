import cors from '@fastify/cors';
import { HISTORY_HEADER, IDEMPOTENCY_HEADER } from '../../contract/push-headers.ts';
import { PUBLIC_CALLS } from '../../contract/public-calls.ts';
import { bearerToken, Gate } from '../gate.ts';
import { registerDocs } from '../openapi/docs.ts';
import { type HttpParts, plugin, type TypedApp } from '../typed-app.ts';
import { type ApiClient, PUBLIC_HANDLERS } from '../public-handlers.ts';
import { registerRoutes } from './register.ts';

/** The public API, its OpenAPI document and the page to read it. */
export async function registerPublicApi(app: TypedApp, parts: HttpParts): Promise<void> {
	await app.register(cors, {
		origin: '*',
		methods: ['GET', 'POST', 'PUT', 'DELETE'],
		allowedHeaders: '*, Authorization, Idempotency-Key, X-Sequence-ID, TTL',
		exposedHeaders: `RateLimit, RateLimit-Policy, Retry-After, WWW-Authenticate, X-Request-Id, ${IDEMPOTENCY_HEADER}, ${HISTORY_HEADER}`,
		maxAge: 86_400,
		// An OPTIONS request that is not a preflight is answered like one, instead of with plain text.
		strictPreflight: false,
	});
	await app.register(plugin('docs', (docs) => registerDocs(docs, parts)));
	const { context } = parts;
	app.addHook('preClose', (done) => {
		context.questionWaits.stop();
		context.triggerWaits.stop();
		done();
	});
	await app.register(
		plugin('public-calls', (calls) => {
			const gate = new Gate(calls, parts, 'api', ({ headers }) =>
				bearerToken(headers.authorization),
			);
			registerRoutes<typeof PUBLIC_CALLS, ApiClient>(calls, PUBLIC_CALLS, PUBLIC_HANDLERS, {
				identify: async (request, reply, { feature }) => ({
					context,
					caller: await gate.admit(request, reply, feature),
				}),
			});
		}),
	);
}
