import type { FastifyReply, FastifyRequest } from 'fastify';
import { findCallerByKey } from '../service/administration/api-keys.ts';
import type { Caller } from '../service/context.ts';
import { type Refusal, TooManyRequests } from '../service/refusal.ts';
import type { KeyKind } from '../service/secrets.ts';
import type { HttpParts } from './parts.ts';
import {
	addressPolicy,
	type Feature,
	type Policy,
	rateLimitHeaders,
	retryAfterSeconds,
} from './rate-limit.ts';
import type { TypedApp } from './typed-app.ts';

const callers = new WeakMap<FastifyRequest, Caller>();

/** The caller of this request; undefined without a valid key. */
export function knownCaller(request: FastifyRequest): Caller | undefined {
	return callers.get(request);
}

/** The caller of this request; only for routes behind a gate. */
export function requireCaller(request: FastifyRequest): Caller {
	const caller = knownCaller(request);
	if (!caller) throw new Error(`The route ${request.url} has no gate`);
	return caller;
}

/** The authentication and the rate limits of a route. */
export interface Entrance {
	kind: KeyKind;
	/** The key in a request; undefined if there is none. */
	keyIn: (request: FastifyRequest) => string | undefined;
	/** The error of a request without a valid key. */
	unauthorized: (key: string | undefined) => Refusal;
	/** The allowances of an account. */
	policies: (feature: Feature, accountId: string) => Policy[];
}

/**
 * Authentication and rate limits, before every route of a feature and before its body is read
 * (docs/api-decisions.md "Rate limits").
 */
export class Gate {
	readonly #parts: HttpParts;
	readonly #entrance: Entrance;

	constructor(parts: HttpParts, entrance: Entrance) {
		this.#parts = parts;
		this.#entrance = entrance;
	}

	/** Puts the gate before the routes of `app`. */
	guard(app: TypedApp, feature: Feature): void {
		const { context, rateLimits } = this.#parts;
		const { kind, keyIn, unauthorized, policies } = this.#entrance;
		app.addHook('onRequest', async (request, reply) => {
			reply.header('cache-control', 'no-store');
			const key = keyIn(request);
			const caller = key === undefined ? undefined : await findCallerByKey(context, key, kind);
			if (caller) callers.set(request, caller);
			await this.#consume(reply, [
				addressPolicy(rateLimits, feature, request.ip),
				...(caller ? policies(feature, caller.accountId) : []),
			]);
			if (!caller) throw unauthorized(key);
		});
		app.addHook('onResponse', (request, reply, done) => {
			const caller = callers.get(request);
			if (caller) {
				context.requests.add(caller.accountId, feature, reply.statusCode);
				context.openPages.accountChanged(caller.accountId, 'traffic');
			}
			done();
		});
	}

	/**
	 * Uses the account's allowance for a feature other than the route's.
	 * @throws TooManyRequests
	 */
	async spend(reply: FastifyReply, feature: Feature, accountId: string): Promise<void> {
		await this.#consume(reply, this.#entrance.policies(feature, accountId));
	}

	async #consume(reply: FastifyReply, policies: readonly Policy[]): Promise<void> {
		const { limiter } = this.#parts;
		const { allowed, states } = await limiter.consume(policies);
		reply.headers(rateLimitHeaders(states, limiter.windowSeconds));
		if (allowed) return;
		const seconds = retryAfterSeconds(states);
		const exhausted = states
			.filter(({ remaining }) => remaining === 0)
			.map(({ policy }) => policy.name);
		throw new TooManyRequests(
			'Rate limit exceeded',
			`The allowance of ${exhausted.join(' and ')} is used up. It is full again in ${seconds} s.`,
			seconds,
			{ code: 'rate_limited' },
		);
	}
}
