import { headerOf, type Headers } from './answer';

/** One entry of the `RateLimit` header: what is left of a policy, and when it starts afresh. */
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

/**
 * Reads `RateLimit: "account:notifications";r=59;t=60, …` (service-api.md "Headers").
 * Entries without a remaining count or a reset, and parameters such as `pk`, are skipped.
 */
export function rateLimitsIn(headers: Headers): RateLimit[] {
	const limits: RateLimit[] = [];
	for (const [, name = '', parameters = ''] of (headerOf(headers, 'ratelimit') ?? '').matchAll(
		ITEM,
	)) {
		const values = new Map(
			[...parameters.matchAll(PARAMETER)].map(([, key, value]) => [key, Number(value)]),
		);
		const remaining = values.get('r');
		const resetSeconds = values.get('t');
		if (isCount(remaining) && isCount(resetSeconds)) {
			limits.push({ policy: unquoted(name), remaining, resetSeconds });
		}
	}
	return limits;
}

/**
 * Seconds until a refused request may be sent again: the longest of `Retry-After` (seconds or a
 * date) and the resets of all exhausted policies.
 * @param now milliseconds since the epoch, to read a date against
 * @returns undefined when no header says
 */
export function retryAfterSeconds(headers: Headers, now: number): number | undefined {
	const resets = rateLimitsIn(headers)
		.filter(({ remaining }) => remaining === 0)
		.map(({ resetSeconds }) => resetSeconds);
	const stated = retryAfterHeader(headers, now);
	const seconds = stated === undefined ? resets : [...resets, stated];
	return seconds.length > 0 ? Math.max(...seconds) : undefined;
}

function retryAfterHeader(headers: Headers, now: number): number | undefined {
	const text = headerOf(headers, 'retry-after')?.trim();
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
