import { isIPv4, isIPv6 } from 'node:net';
import type { FastifyRequest } from 'fastify';
import ipaddr from 'ipaddr.js';
import type { Config } from '../config.ts';
import type { Feature } from '../contract/values.ts';
import type { Context } from '../service/context.ts';
import { type Refusal, TooManyRequests } from '../service/refusal.ts';

/** The settings of allowances: requests of one account per window. */
const QUOTAS = {
	notifications: 'BECKON_RATE_NOTIFICATIONS',
	badges: 'BECKON_RATE_BADGES',
	'live-activities': 'BECKON_RATE_LIVE_ACTIVITIES',
	metrics: 'BECKON_RATE_METRICS',
	lists: 'BECKON_RATE_LISTS',
	images: 'BECKON_RATE_IMAGES',
	questions: 'BECKON_RATE_QUESTIONS',
	triggers: 'BECKON_RATE_TRIGGERS',
	mcp: 'BECKON_RATE_MCP',
} as const satisfies Record<Feature, keyof Config>;

export const FEATURES = Object.keys(QUOTAS) as Feature[];

/** A limit that applies to a request: its public name, the subject it counts, and the number allowed. */
export interface Policy {
	/** Letters, dashes and colons: needs no escaping as a string of structured fields (RFC 9651). */
	name: string;
	subject: string;
	quota: number;
}

interface PolicyState {
	policy: Policy;
	remaining: number;
	/** Whole seconds until the allowance is full again. */
	resetSeconds: number;
}

/** The store's request counts, shared by every process that uses the store. */
type RateWindows = Context['database']['rateWindows'];

/** Fixed windows that open with the first request (docs/api-decisions.md "Rate limits"). */
export class RateLimiter {
	readonly windowSeconds: number;
	readonly #windows: RateWindows;
	readonly #now: () => number;

	constructor(windowSeconds: number, windows: RateWindows, now: () => number) {
		this.windowSeconds = windowSeconds;
		this.#windows = windows;
		this.#now = now;
	}

	/** Counts a request against every policy, or against none if one of them is exhausted. */
	async consume(policies: readonly Policy[]): Promise<{ allowed: boolean; states: PolicyState[] }> {
		const now = this.#now();
		const windowMs = this.windowSeconds * 1_000;
		const limits = policies.map(toLimit);
		const { allowed, windows } = await this.#windows.consume(limits, windowMs, now);
		return { allowed, states: this.#toStates(policies, windows, now) };
	}

	/**
	 * Counts a request like `consume`.
	 * @throws what `refuse` returns for the seconds to wait
	 */
	async spend(policies: readonly Policy[], refuse: (seconds: number) => Refusal): Promise<void> {
		const { allowed, states } = await this.consume(policies);
		if (!allowed) throw refuse(retryAfterSeconds(states));
	}

	/** Reads the current allowance without counting. */
	async peek(policies: readonly Policy[]): Promise<PolicyState[]> {
		const now = this.#now();
		return this.#toStates(policies, await this.#windows.peek(policies.map(toLimit), now), now);
	}

	#toStates(
		policies: readonly Policy[],
		windows: Awaited<ReturnType<RateWindows['peek']>>,
		now: number,
	): PolicyState[] {
		return policies.map((policy, index) => {
			const window = windows[index];
			// Another server's clock may be slightly ahead of this one's.
			const passed = window ? Math.max(0, now - window.openedAt) : 0;
			const left = Math.max(0, this.windowSeconds * 1_000 - passed);
			return {
				policy,
				remaining: Math.max(0, policy.quota - (window?.used ?? 0)),
				resetSeconds: Math.ceil(left / 1_000),
			};
		});
	}
}

function toLimit({ name, subject, quota }: Policy): { key: string; quota: number } {
	return { key: `${name} ${subject}`, quota };
}

/** IPv6 clients are counted by /64, the smallest network a subscriber gets. */
export function addressSubject(address: string): string {
	if (isIPv4(address) || !isIPv6(address)) return address;
	const parsed = ipaddr.IPv6.parse(address);
	if (parsed.isIPv4MappedAddress()) return parsed.toIPv4Address().toString();
	const network = parsed.parts.slice(0, 4);
	return `${network.map((part) => part.toString(16)).join(':')}::/64`;
}

export function accountPolicy(config: Config, feature: Feature, accountId: string): Policy {
	return { name: `account:${feature}`, subject: accountId, quota: config[QUOTAS[feature]] };
}

/**
 * The RateLimit-Policy and RateLimit headers: lists of structured fields (RFC 9651). `q` and `w` are the quota
 * and the window in seconds, `r` and `t` the remainder and the seconds until the reset.
 */
export function rateLimitHeaders(states: readonly PolicyState[], windowSeconds: number) {
	const list = (parameters: (state: PolicyState) => string) =>
		states.map((state) => `"${state.policy.name}";${parameters(state)}`).join(', ');
	return {
		'ratelimit-policy': list(({ policy }) => `q=${policy.quota};w=${windowSeconds}`),
		ratelimit: list(({ remaining, resetSeconds }) => `r=${remaining};t=${resetSeconds}`),
	};
}

/** Seconds until every exhausted policy has been reset. */
export function retryAfterSeconds(states: readonly PolicyState[]): number {
	const exhausted = states.filter(({ remaining }) => remaining === 0);
	return Math.max(0, ...exhausted.map(({ resetSeconds }) => resetSeconds));
}

/** A limit of a few routes, with its own window. */
export interface Limit {
	name: string;
	/** Length of the window. */
	seconds: number;
	quota: number;
	refuse: (seconds: number) => Refusal;
}

/** Counts toward a limit. @throws Refusal beyond its quota */
export async function count(context: Context, limit: Limit, subject: string): Promise<void> {
	const { database, now } = context;
	const { name, seconds, quota, refuse } = limit;
	const limiter = new RateLimiter(seconds, database.rateWindows, now);
	await limiter.spend([{ name, subject, quota }], refuse);
}

/** A handler whose requests count toward a limit of each client address. */
export function limited<X extends { context: Context; request: FastifyRequest }, A>(
	limit: Limit,
	handler: (exchange: X) => A,
) {
	return async (exchange: X): Promise<Awaited<A>> => {
		await count(exchange.context, limit, addressSubject(exchange.request.ip));
		return await handler(exchange);
	};
}

/** Refusals that end with when to try again. */
export function refuseFor(error: string, reason: string, details?: Record<string, unknown>) {
	return (seconds: number): TooManyRequests =>
		new TooManyRequests(error, `${reason} Try again in ${seconds} s.`, seconds, details);
}
