import ipaddr from 'ipaddr.js';
import { serializeList } from 'structured-headers';

export const FEATURES = ['notifications', 'badges', 'live-activities', 'metrics'] as const;
export type Feature = (typeof FEATURES)[number];

export interface RateLimitSettings {
	/** Length of a window in seconds. */
	windowSeconds: number;
	/** Requests of one client address per feature and window. */
	perAddress: number;
	/** Requests of one account per feature and window. */
	perAccount: Record<Feature, number>;
}

/** A limit that applies to a request: its public name, whom it counts, and how many are allowed. */
export interface Policy {
	name: string;
	subject: string;
	quota: number;
}

export interface PolicyState {
	policy: Policy;
	remaining: number;
	/** Whole seconds until the allowance is full again. */
	resetSeconds: number;
}

interface Window {
	opened: number;
	used: number;
}

/** Windows kept before those that have passed are looked for and dropped. */
const SWEEP_ABOVE = 10_000;

/** Fixed windows that open with the first request (decisions.md "Rate-limit headers"). */
export class RateLimiter {
	readonly windowSeconds: number;
	readonly #windows = new Map<string, Window>();
	readonly #now: () => number;
	#sweepAt = SWEEP_ABOVE;

	constructor(windowSeconds: number, now: () => number) {
		this.windowSeconds = windowSeconds;
		this.#now = now;
	}

	/** Counts a request against every policy, or, when one of them is exhausted, against none. */
	consume(policies: readonly Policy[]): { allowed: boolean; states: PolicyState[] } {
		const now = this.#now();
		const windows = policies.map((policy) => this.#windowOf(policy, now));
		const allowed = policies.every((policy, index) => (windows[index]?.used ?? 0) < policy.quota);
		const states = policies.map((policy, index) => {
			let window = windows[index];
			if (allowed) {
				window ??= this.#open(policy, now);
				window.used += 1;
			}
			return this.#stateOf(policy, window, now);
		});
		return { allowed, states };
	}

	/** What is left now; nothing is counted. */
	peek(policies: readonly Policy[]): PolicyState[] {
		const now = this.#now();
		return policies.map((policy) => this.#stateOf(policy, this.#windowOf(policy, now), now));
	}

	#stateOf(policy: Policy, window: Window | undefined, now: number): PolicyState {
		const passed = window ? now - window.opened : 0;
		return {
			policy,
			remaining: Math.max(0, policy.quota - (window?.used ?? 0)),
			resetSeconds: Math.ceil((this.windowSeconds * 1_000 - passed) / 1_000),
		};
	}

	#windowOf(policy: Policy, now: number): Window | undefined {
		const window = this.#windows.get(keyOf(policy));
		return window && now - window.opened < this.windowSeconds * 1_000 ? window : undefined;
	}

	#open(policy: Policy, now: number): Window {
		if (this.#windows.size >= this.#sweepAt) this.#sweep(now);
		const window = { opened: now, used: 0 };
		this.#windows.set(keyOf(policy), window);
		return window;
	}

	#sweep(now: number): void {
		for (const [key, window] of this.#windows) {
			if (now - window.opened >= this.windowSeconds * 1_000) this.#windows.delete(key);
		}
		this.#sweepAt = Math.max(SWEEP_ABOVE, this.#windows.size * 2);
	}
}

function keyOf({ name, subject }: Policy): string {
	return `${name} ${subject}`;
}

/** IPv6 clients are counted by /64, the smallest network that one subscriber has. */
export function addressSubject(address: string): string {
	if (!ipaddr.isValid(address)) return address;
	const parsed = ipaddr.process(address);
	if (parsed.kind() === 'ipv4') return parsed.toString();
	const network = (parsed as ipaddr.IPv6).parts.slice(0, 4);
	return `${network.map((part) => part.toString(16)).join(':')}::/64`;
}

export function addressPolicy(
	settings: RateLimitSettings,
	feature: Feature,
	address: string,
): Policy {
	return {
		name: `public-api-ip:${feature}`,
		subject: addressSubject(address),
		quota: settings.perAddress,
	};
}

export function accountPolicy(
	settings: RateLimitSettings,
	feature: Feature,
	accountId: string,
): Policy {
	return { name: `account:${feature}`, subject: accountId, quota: settings.perAccount[feature] };
}

/**
 * The RateLimit-Policy and RateLimit headers: lists of structured fields (RFC 9651), `q` and `w` the
 * quota and window in seconds, `r` and `t` what remains and the seconds until the reset.
 */
export function rateLimitHeaders(
	states: readonly PolicyState[],
	windowSeconds: number,
): Record<string, string> {
	return {
		'ratelimit-policy': serializeList(
			states.map(({ policy }) => [
				policy.name,
				new Map([
					['q', policy.quota],
					['w', windowSeconds],
				]),
			]),
		),
		ratelimit: serializeList(
			states.map(({ policy, remaining, resetSeconds }) => [
				policy.name,
				new Map([
					['r', remaining],
					['t', resetSeconds],
				]),
			]),
		),
	};
}

/** Seconds until every exhausted policy has been reset. */
export function retryAfterSeconds(states: readonly PolicyState[]): number {
	return Math.max(
		0,
		...states.filter(({ remaining }) => remaining === 0).map(({ resetSeconds }) => resetSeconds),
	);
}
