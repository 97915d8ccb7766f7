import type { FastifyRequest } from 'fastify';
import { requireDeviceByToken, type Phone } from '../../service/phones/pairing.ts';
import { Refusal, TooManyRequests } from '../../service/refusal.ts';
import type { HttpParts } from '../parts.ts';
import type { TypedApp } from '../typed-app.ts';
import { bearerToken } from '../bearer.ts';
import { retryAfterSeconds } from '../rate-limit.ts';
import { Turns } from '../turns.ts';

declare module 'fastify' {
	interface FastifyContextConfig {
		/** True if the answer stays open for events. */
		isStream?: boolean;
	}
}

const devices = new WeakMap<FastifyRequest, Phone>();

/** The phone making this request; only for routes behind `authenticateDevice`. */
export function requireDevice(request: FastifyRequest): Phone {
	const device = devices.get(request);
	if (!device) throw new Error(`The route ${request.url} has no authentication`);
	return device;
}

/** Streams one phone may open per window: reconnecting as docs/device-protocol.md says takes fewer. */
const STREAMS_PER_WINDOW = 60;

/** Concurrent requests of one phone. */
const MAX_UNDER_WAY = 10;

const RETRY_AFTER_SECONDS = 1;

/** Lets only paired phones reach the routes of `app`, each within its rate limit. */
export function authenticateDevice(
	app: TypedApp,
	{ context, limiter, rateLimits: { perDevice } }: HttpParts,
): void {
	app.addHook('onRequest', async (request) => {
		const token = bearerToken(request.headers.authorization);
		if (token === undefined) {
			throw new Refusal(
				'unauthorized',
				'Unauthorized',
				'Send the token that pairing returned as Authorization: Bearer <token>.',
			);
		}
		const device = await requireDeviceByToken(context, token);
		const policies = [{ name: 'device', subject: device.id, quota: perDevice }];
		if (request.routeOptions.config.isStream)
			policies.push({ name: 'device-streams', subject: device.id, quota: STREAMS_PER_WINDOW });
		const { allowed, states } = await limiter.consume(policies);
		if (!allowed) throw tooManyCalls(retryAfterSeconds(states));
		devices.set(request, device);
	});
	boundCalls(app);
	app.addHook('onResponse', (request, _reply, done) => {
		const device = devices.get(request);
		if (device && request.method !== 'GET')
			context.openPages.accountChanged(device.account_id, 'traffic');
		done();
	});
}

function tooManyCalls(seconds: number): TooManyRequests {
	return new TooManyRequests(
		'Too many requests',
		`This phone sends too many requests. Try again in ${seconds} s.`,
		seconds,
	);
}

/**
 * Bounds the concurrent calls of each phone, so a busy one delays only itself. Event streams
 * have a bound of their own.
 */
function boundCalls(app: TypedApp): void {
	const calls = new Turns<string>({ underWay: MAX_UNDER_WAY, waiting: 0 });
	app.addHook('onRequest', (request, reply, done) => {
		if (request.routeOptions.config.isStream) done();
		else if (!calls.take(requireDevice(request).id, reply.raw, done))
			done(tooManyCalls(RETRY_AFTER_SECONDS));
	});
}
