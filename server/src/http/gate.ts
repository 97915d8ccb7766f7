import type { FastifyReply, FastifyRequest } from 'fastify';
import { HISTORY_HEADER } from '../contract/push-headers.ts';
import { type Feature, senderNames } from '../contract/values.ts';
import { findCallerByKey } from '../service/keys-and-channels/api-keys.ts';
import type { Caller } from '../service/context.ts';
import { requireSameKey } from '../service/keys-and-channels/key-scope.ts';
import { Refusal, TooManyRequests } from '../service/refusal.ts';
import { KEY_PREFIX, type KeyKind } from '../service/secrets.ts';
import {
	accountPolicy,
	addressSubject,
	type Policy,
	rateLimitHeaders,
	retryAfterSeconds,
} from './limits.ts';
import { refusalOf } from './errors.ts';
import { historyLinks } from './request-log.ts';
import type { HttpParts, TypedApp } from './typed-app.ts';

/** Who sent each request, and the allowance that it uses. */
const callers = new WeakMap<FastifyRequest, { caller: Caller; feature: Feature; at: number }>();

/** The caller of this request; only for routes behind a gate. */
export function requireCaller(request: FastifyRequest): Caller {
	const admitted = callers.get(request);
	if (!admitted) throw new Error(`The route ${request.url} has no gate`);
	return admitted.caller;
}

/** Milliseconds in which most bodies arrive. */
const PROMPT_MS = 1_000;

/** Finds the key in a request; undefined if there is none. */
export type KeyIn = (request: FastifyRequest) => string | undefined;

/** The messages for a request without a valid key, by the kind of key that its route takes. */
const UNAUTHORIZED = {
	api: {
		otherKind: 'sender',
		ofOtherKind: `This is a sender key, which only ${senderNames('and')} use. Send an API key as Authorization: Bearer <API key>.`,
		notValid:
			'The API key is missing, wrong or revoked. Send it as Authorization: Bearer <API key>.',
	},
	sender: {
		otherKind: 'api',
		ofOtherKind:
			'This is an API key. Create a sender key in the console, or with beckon-server key create --sender.',
		notValid: 'The sender key is missing, wrong or revoked.',
	},
} as const satisfies Record<KeyKind, object>;

function unauthorized(kind: KeyKind, key: string | undefined): Refusal {
	const { otherKind, ofOtherKind, notValid } = UNAUTHORIZED[kind];
	const message = key?.startsWith(KEY_PREFIX[otherKind]) ? ofOtherKind : notValid;
	return new Refusal('unauthorized', 'Unauthorized', message);
}

/** Authentication and rate limits, before the body is read (docs/api-decisions.md "Rate limits"). */
export class Gate {
	readonly #parts: HttpParts;
	readonly #kind: KeyKind;
	readonly #keyIn: KeyIn;

	/** @param app counts its requests that name a caller, whatever their outcome */
	constructor(app: TypedApp, parts: HttpParts, kind: KeyKind, keyIn: KeyIn) {
		this.#parts = parts;
		this.#kind = kind;
		this.#keyIn = keyIn;
		const { requests, openPages, database, elapsed } = parts.context;
		// A key may be revoked while a body is on its way.
		app.addHook('preHandler', async (request) => {
			const { caller, at = 0 } = callers.get(request) ?? {};
			if (caller && elapsed() - at > PROMPT_MS) await requireSameKey(database.read, caller);
		});
		app.addHook('onResponse', (request, reply, done) => {
			const { caller, feature } = callers.get(request) ?? {};
			const refusal = refusalOf(request);
			if (caller && feature) {
				requests.add(caller.accountId, feature, reply.statusCode);
				openPages.accountChanged(caller.accountId, 'traffic');
				if (caller.keyId !== null) requests.noteKeyUse(caller.keyId, refusal?.message);
			}
			// Not the message: it may quote what was sent.
			const reason = refusal && { error: refusal.error };
			const history = reply.getHeader(HISTORY_HEADER);
			request.log.debug(
				{ req: request, res: reply, key: caller?.keyId, history, ...reason },
				refusal ? 'refused' : 'accepted',
			);
			done();
		});
	}

	/**
	 * Authenticates a request, and charges it to the allowance of a feature.
	 * @param only `address`: uses the allowance of its address alone; `spend` then uses the account's
	 * @throws Refusal
	 */
	async admit(request: FastifyRequest, reply: FastifyReply, feature: Feature, only?: 'address') {
		const { context, limiter, config } = this.#parts;
		const ofAddress = {
			name: `public-api-ip:${feature}`,
			subject: addressSubject(request.ip),
			quota: config.BECKON_RATE_PER_ADDRESS,
		};
		reply.header('cache-control', 'no-store');
		// If the store does not respond, the headers have at least the policy.
		const notCounted = { policy: ofAddress, remaining: 0, resetSeconds: 0 };
		const headers = rateLimitHeaders([notCounted], limiter.windowSeconds);
		reply.header('ratelimit-policy', headers['ratelimit-policy']);
		const key = this.#keyIn(request);
		const found = key === undefined ? undefined : await findCallerByKey(context, key, this.#kind);
		const caller = found && { ...found, ...historyLinks(request, reply) };
		if (caller) callers.set(request, { caller, feature, at: context.elapsed() });
		const ofAccount = caller && !only ? this.#policies(feature, caller.accountId) : [];
		await this.#consume(reply, [ofAddress, ...ofAccount]);
		if (!caller) {
			if (key !== undefined) context.operatorLog?.keyRefused(request.ip);
			throw unauthorized(this.#kind, key);
		}
		return caller;
	}

	/**
	 * Uses the account's allowance for a feature that `admit` has not used.
	 * @throws TooManyRequests
	 */
	async spend(reply: FastifyReply, feature: Feature, accountId: string): Promise<void> {
		await this.#consume(reply, this.#policies(feature, accountId));
	}

	/** All senders together get half of an account's allowance: a noisy one never stops the workflows. */
	#policies(feature: Feature, accountId: string): Policy[] {
		const account = accountPolicy(this.#parts.config, feature, accountId);
		if (this.#kind === 'api') return [account];
		const quota = Math.max(1, Math.floor(account.quota / 2));
		return [account, { name: `senders:${feature}`, subject: accountId, quota }];
	}

	async #consume(reply: FastifyReply, policies: readonly Policy[]): Promise<void> {
		const { limiter } = this.#parts;
		const { allowed, states } = await limiter.consume(policies);
		// A request may use the allowances of two features.
		const isFurther = reply.hasHeader('ratelimit');
		for (const [name, list] of Object.entries(rateLimitHeaders(states, limiter.windowSeconds)))
			reply.header(name, isFurther ? `${String(reply.getHeader(name))}, ${list}` : list);
		if (allowed) return;
		const seconds = retryAfterSeconds(states);
		const exhausted = states
			.filter(({ remaining }) => remaining === 0)
			.map(({ policy }) => policy.name);
		throw new TooManyRequests(
			'Rate limit exceeded',
			`Rate limit ${exhausted.join(' and ')} exceeded. Try again in ${seconds} s.`,
			seconds,
			{ code: 'rate_limited' },
		);
	}
}

/** The token of an `Authorization: Bearer …` header; undefined if there is none (RFC 6750 section 2.1). */
export function bearerToken(header: string | undefined): string | undefined {
	return /^Bearer +([A-Za-z0-9._~+/-]+=*) *$/i.exec(header ?? '')?.[1];
}
