import fc from 'fast-check';

import { rateLimitsIn, retryAfterSeconds } from '../../src/rules/rate-limit-headers.ts';

fc.configureGlobal({ numRuns: 100 * Number(process.env['RANDOM_TEST_FACTOR'] ?? 1) });

const NOW = Date.parse('2026-01-31T09:30:00Z');

test('policies are read with what is left of them', () => {
	const headers = {
		ratelimit: '"public-api-ip:notifications";r=599;t=60, "account:notifications";r=0;t=42',
	};

	expect(rateLimitsIn(headers)).toEqual([
		{ policy: 'public-api-ip:notifications', remaining: 599, resetSeconds: 60 },
		{ policy: 'account:notifications', remaining: 0, resetSeconds: 42 },
	]);
});

test('names with separators and escapes, unknown parameters and tokens are understood', () => {
	const headers = {
		ratelimit: String.raw`"a, \"b\"; c" ; r=1 ;t=2;pk=:cGs=:;x="y, r=9", token;t=3;r=4, "none"`,
	};

	expect(rateLimitsIn(headers)).toEqual([
		{ policy: 'a, "b"; c', remaining: 1, resetSeconds: 2 },
		{ policy: 'token', remaining: 4, resetSeconds: 3 },
	]);
});

test('several headers of the name are one list', () => {
	expect(rateLimitsIn({ ratelimit: ['"a";r=1;t=2', '"b";r=3;t=4'] })).toHaveLength(2);
});

test('whatever stands in a header, reading it does not fail', () => {
	fc.assert(
		fc.property(fc.string({ maxLength: 200 }), (text) => {
			const seconds = retryAfterSeconds({ ratelimit: text, 'retry-after': text }, NOW);
			expect(seconds === undefined || seconds >= 0).toBe(true);
		}),
	);
});

test.each<[string, Record<string, unknown>, number | undefined]>([
	['Retry-After in seconds', { 'retry-after': '7' }, 7],
	['Retry-After as a date', { 'retry-after': 'Sat, 31 Jan 2026 09:30:09 GMT' }, 9],
	['a date that has passed', { 'retry-after': 'Sat, 31 Jan 2026 09:00:00 GMT' }, 0],
	['the exhausted policy', { ratelimit: '"a";r=5;t=60, "b";r=0;t=8' }, 8],
	['the longest of all', { 'retry-after': '3', ratelimit: '"a";r=0;t=60, "b";r=0;t=8' }, 60],
	['nothing', {}, undefined],
	['no number', { 'retry-after': 'later' }, undefined],
])('the wait is given by %s', (_by, headers, seconds) => {
	expect(retryAfterSeconds(headers, NOW)).toBe(seconds);
});
