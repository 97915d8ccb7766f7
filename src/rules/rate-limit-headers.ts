import { readHeader, type Headers } from './answer';

/** A policy from the headers: its remaining requests, and its reset. */
export interface RateLimit {
	policy: string;
	remaining: number;
	resetSeconds: number;
}

/**
 * An item of a structured field list (RFC 9651) whose value is a string or token, and its
 * parameters. A quoted string may contain commas and semicolons, hence no splitting.
 */
const ITEM =
	/("(?:[^"\\]|\\.)*"|[A-Za-z*][^\s,;]*)((?:\s*;\s*[a-z*][a-z0-9_.*-]*(?:=(?:"(?:[^"\\]|\\.)*"|[^\s,;]*))?)*)/g;

const PARAMETER = /;\s*([a-z*][a-z0-9_.*-]*)(?:=("(?:[^"\\]|\\.)*"|[^\s,;]*))?/g;

/** The items of the header `RateLimit` with their numeric parameters. */
function* itemsIn(headers: Headers): Generator<[string, Map<string, number>]> {
	const text = readHeader(headers, 'ratelimit') ?? '';
	for (const [, name = '', parameters = ''] of text.matchAll(ITEM)) {
		const values = [...parameters.matchAll(PARAMETER)].map(
			([, key = '', value]): [string, number] => [key, Number(value)],
		);
		yield [unquoted(name), new Map(values)];
	}
}

/**
 * Reads `RateLimit: "account:notifications";r=59;t=60, …` (docs/api-decisions.md "Rate limits"). Skips entries without a
 * remaining count or a reset, and parameters such as `pk`.
 */
export function rateLimitsIn(headers: Headers): RateLimit[] {
	const limits: RateLimit[] = [];
	for (const [policy, values] of itemsIn(headers)) {
		const remaining = values.get('r');
		const resetSeconds = values.get('t');
		if (!isCount(remaining) || !isCount(resetSeconds)) continue;
		limits.push({ policy, remaining, resetSeconds });
	}
	return limits;
}

/**
 * Seconds until a refused request may be sent again: the longest of `Retry-After` (seconds or a date)
 * and the resets of all exhausted policies.
 * @param now milliseconds since the epoch, to read a date against
 * @returns undefined if no header says
 */
export function retryAfterSeconds(headers: Headers, now: number): number | undefined {
	const resets = rateLimitsIn(headers)
		.filter(({ remaining }) => remaining === 0)
		.map(({ resetSeconds }) => resetSeconds);
	const stated = retryAfterHeader(headers, now);
	const seconds = stated === undefined ? resets : [...resets, stated];
	return seconds.length > 0 ? Math.max(...seconds) : undefined;
}

/** The seconds that `Retry-After` states, as a number or as a date. */
export function retryAfterHeader(headers: Headers, now: number): number | undefined {
	const text = readHeader(headers, 'retry-after')?.trim();
	if (text === undefined || text === '') return undefined;
	const seconds = Number(text);
	if (isCount(seconds)) return seconds;
	const date = Date.parse(text);
	return Number.isNaN(date) ? undefined : Math.max(0, (date - now) / 1000);
}

function isCount(value: number | undefined): value is number {
	return value !== undefined && Number.isFinite(value) && value >= 0;
}

function unquoted(text: string): string {
	return text.startsWith('"') ? text.slice(1, -1).replaceAll(/\\(.)/g, '$1') : text;
}
