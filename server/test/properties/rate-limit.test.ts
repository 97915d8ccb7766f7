import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { parseList } from 'structured-headers';
import {
	addressSubject,
	type Policy,
	rateLimitHeaders,
	RateLimiter,
	retryAfterSeconds,
} from '../../src/http/limits.ts';
import { RateWindowsInMemory } from '../../src/store/engine/rate-windows.ts';
import { scaled } from '../support/scaled.ts';

const WINDOW_SECONDS = 60;

/** A request from one of a few addresses, with or without one of a few accounts, after some time. */
const request = fc.record({
	passed: fc.oneof(fc.nat(2_000), fc.nat(70_000), fc.constantFrom(59_999, 60_000, 60_001)),
	address: fc.constantFrom('a', 'b'),
	account: fc.constantFrom(undefined, 'x', 'y'),
});

const quotas = fc.record({
	address: fc.integer({ min: 1, max: 8 }),
	account: fc.integer({ min: 1, max: 8 }),
});

/** Fixed windows as in docs/api-decisions.md "Rate limits", written as plainly as possible. */
class Model {
	readonly windows = new Map<string, { opened: number; used: number }>();

	current(key: string, now: number) {
		const window = this.windows.get(key);
		return window && now < window.opened + WINDOW_SECONDS * 1_000 ? window : undefined;
	}

	consume(policies: readonly Policy[], now: number): boolean {
		const allowed = policies.every(
			({ subject, quota }) => (this.current(subject, now)?.used ?? 0) < quota,
		);
		for (const { subject } of allowed ? policies : []) {
			const window = this.current(subject, now) ?? { opened: now, used: 0 };
			window.used += 1;
			this.windows.set(subject, window);
		}
		return allowed;
	}
}

function policiesOf(
	{ address, account }: { address: string; account?: string | undefined },
	quota: { address: number; account: number },
): Policy[] {
	return [
		{ name: 'public-api-ip:badges', subject: address, quota: quota.address },
		...(account === undefined
			? []
			: [{ name: 'account:badges', subject: account, quota: quota.account }]),
	];
}

describe('the rate limiter', () => {
	it('does what fixed windows do, and counts a refused request for nobody', async () => {
		await fc.assert(
			fc.asyncProperty(quotas, fc.array(request, { maxLength: 80 }), async (quota, requests) => {
				let now = 1_000_000;
				const limiter = new RateLimiter(WINDOW_SECONDS, new RateWindowsInMemory(), () => now);
				const model = new Model();
				for (const sent of requests) {
					now += sent.passed;
					const policies = policiesOf(sent, quota);
					const { allowed, states } = await limiter.consume(policies);
					expect(allowed).toBe(model.consume(policies, now));
					for (const { policy, remaining, resetSeconds } of states) {
						const window = model.current(policy.subject, now);
						expect(remaining).toBe(policy.quota - (window?.used ?? 0));
						const passed = window ? now - window.opened : 0;
						expect(resetSeconds).toBe(Math.ceil((WINDOW_SECONDS * 1_000 - passed) / 1_000));
					}
					expect(allowed || states.some(({ remaining }) => remaining === 0)).toBe(true);
				}
			}),
			{ numRuns: scaled(500) },
		);
	});

	it('lets a request through once Retry-After has passed', async () => {
		await fc.assert(
			fc.asyncProperty(quotas, fc.array(request, { maxLength: 40 }), async (quota, requests) => {
				let now = 1_000_000;
				const limiter = new RateLimiter(WINDOW_SECONDS, new RateWindowsInMemory(), () => now);
				for (const sent of requests) {
					now += sent.passed;
					const { allowed, states } = await limiter.consume(policiesOf(sent, quota));
					if (allowed) continue;
					const seconds = retryAfterSeconds(states);
					expect(Number.isInteger(seconds) && seconds >= 0 && seconds <= WINDOW_SECONDS).toBe(true);
					now += seconds * 1_000;
					expect((await limiter.consume(policiesOf(sent, quota))).allowed).toBe(true);
				}
			}),
			{ numRuns: scaled(300) },
		);
	});

	it('forgets windows that have passed without forgetting any that counts', async () => {
		let now = 0;
		const limiter = new RateLimiter(WINDOW_SECONDS, new RateWindowsInMemory(), () => now);
		const policy = (subject: string): Policy => ({
			name: 'public-api-ip:badges',
			subject,
			quota: 1,
		});
		const isAllowed = async (subject: string) => (await limiter.consume([policy(subject)])).allowed;
		for (let index = 0; index < 15_000; index += 1)
			expect(await isAllowed(`old ${index}`)).toBe(true);
		now += 30_000;
		for (let index = 0; index < 15_000; index += 1) await isAllowed(`new ${index}`);
		for (const subject of ['old 0', 'old 14999', 'new 0', 'new 14999']) {
			expect(await isAllowed(subject)).toBe(false);
		}
		now += 30_000;
		expect(await isAllowed('old 0')).toBe(true);
		expect(await isAllowed('new 0')).toBe(false);
	});

	it('writes headers that are structured fields, whatever the counts', async () => {
		await fc.assert(
			fc.asyncProperty(
				quotas,
				fc.array(request, { minLength: 1, maxLength: 20 }),
				async (quota, requests) => {
					let now = 0;
					const limiter = new RateLimiter(WINDOW_SECONDS, new RateWindowsInMemory(), () => now);
					for (const sent of requests) {
						now += sent.passed;
						const { states } = await limiter.consume(policiesOf(sent, quota));
						const headers = rateLimitHeaders(states, WINDOW_SECONDS);
						const policies = parseList(headers['ratelimit-policy']);
						const limits = parseList(headers['ratelimit']);
						expect(policies.map(([name]) => name)).toEqual(states.map(({ policy }) => policy.name));
						expect(policies.map(([, values]) => values.get('q'))).toEqual(
							states.map(({ policy }) => policy.quota),
						);
						expect(policies.map(([, values]) => values.get('w'))).toEqual(
							states.map(() => WINDOW_SECONDS),
						);
						expect(limits.map(([, values]) => values.get('r'))).toEqual(
							states.map(({ remaining }) => remaining),
						);
						expect(limits.map(([, values]) => values.get('t'))).toEqual(
							states.map(({ resetSeconds }) => resetSeconds),
						);
					}
				},
			),
		);
	});
});

describe('the client that an address counts as', () => {
	it('is the address itself for IPv4, however it is written', () => {
		fc.assert(
			fc.property(fc.ipV4(), (address) => {
				expect(addressSubject(`::ffff:${address}`)).toBe(addressSubject(address));
				expect(addressSubject(address)).toBe(address);
			}),
		);
	});

	it('is the /64 network for IPv6', () => {
		const groups = (count: number) =>
			fc.array(fc.integer({ min: 0, max: 0xffff }), { minLength: count, maxLength: count });
		const written = (parts: number[]) => parts.map((part) => part.toString(16)).join(':');
		// From 2001: on, where no special rule applies.
		fc.assert(
			fc.property(groups(3), groups(4), groups(4), ([a, b, c], host, other) => {
				const network = [0x2001, a!, b!, c!];
				expect(addressSubject(written([...network, ...host]))).toBe(
					addressSubject(written([...network, ...other])),
				);
				expect(addressSubject(written([...network.slice(0, 3), c! ^ 1, ...host]))).not.toBe(
					addressSubject(written([...network, ...host])),
				);
			}),
		);
	});
});
