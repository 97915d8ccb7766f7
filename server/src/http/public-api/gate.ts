import type { FastifyReply, FastifyRequest } from 'fastify';
import { callerOfKey } from '../../service/api-keys.ts';
import { announceChange } from '../../service/console/changes.ts';
import type { Caller, Context } from '../../service/context.ts';
import { Refusal } from '../../service/refusal.ts';
import type { TypedApp } from '../typed-app.ts';
import { bearerToken } from '../bearer.ts';
import {
	accountPolicy,
	addressPolicy,
	type Feature,
	type Policy,
	rateLimitHeaders,
	type RateLimiter,
	type RateLimitSettings,
	retryAfterSeconds,
} from '../rate-limit.ts';

const callers = new WeakMap<FastifyRequest, Caller>();

/** The caller of this request; only for routes behind a gate. */
export function callerOf(request: FastifyRequest): Caller {
	const caller = callers.get(request);
	if (!caller) throw new Error(`The route ${request.url} has no gate`);
	return caller;
}

function unauthorized(): Refusal {
	return new Refusal(
		'unauthorized',
		'Unauthorized',
		'The API key is missing, wrong or revoked. Send it as Authorization: Bearer <API key>.',
	);
}

export type Gate = (app: TypedApp, feature: Feature) => void;

/**
 * Authentication and rate limits, before every route of a feature and before its body is read (service-api.md
 * "Authentication" and "Request rate limits").
 */
export function createGate(
	context: Context,
	limiter: RateLimiter,
	settings: RateLimitSettings,
): Gate {
	async function limit(reply: FastifyReply, policies: readonly Policy[]): Promise<boolean> {
		const { allowed, states } = await limiter.consume(policies);
		reply.headers(rateLimitHeaders(states, settings.windowSeconds));
		if (allowed) return true;
		const seconds = retryAfterSeconds(states);
		const exhausted = states
			.filter(({ remaining }) => remaining === 0)
			.map(({ policy }) => policy.name);
		reply
			.status(429)
			.header('retry-after', seconds)
			.send({
				error: 'Rate limit exceeded',
				message: `The allowance of ${exhausted.join(' and ')} is used up. It is full again in ${seconds} s.`,
				code: 'rate_limited',
			});
		return false;
	}

	return (app, feature) => {
		app.addHook('onRequest', async (request, reply) => {
			reply.header('cache-control', 'no-store');
			const token = bearerToken(request.headers.authorization);
			const caller = token === undefined ? undefined : await callerOfKey(context, token);
			const policies = [addressPolicy(settings, feature, request.ip)];
			if (caller) policies.push(accountPolicy(settings, feature, caller.accountId));
			if (caller) callers.set(request, caller);
			if (!(await limit(reply, policies))) return reply;
			if (!caller) throw unauthorized();
			return undefined;
		});
		app.addHook('onResponse', (request, reply, done) => {
			const caller = callers.get(request);
			if (caller) {
				context.requests.add(caller.accountId, feature, reply.statusCode);
				announceChange(context, caller.accountId);
			}
			done();
		});
	};
}
