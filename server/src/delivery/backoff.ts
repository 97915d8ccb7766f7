import { HOUR_MS } from '../durations.ts';

const BASE_MS = 5_000;
/** The longest wait, even if a gateway asks for more: a delivery must not be forgotten. */
const LONGEST_MS = HOUR_MS;

/** Attempts before a delivery is given up: about four hours, with the waits below. */
export const MAX_ATTEMPTS = 15;

/**
 * Milliseconds to wait after the given number of failed attempts (1 or more): doubles from 5 s to an hour, with
 * equal jitter, so devices that failed together are not retried together.
 */
export function backoffMs(attempts: number, random: () => number = Math.random): number {
	const ceiling = Math.min(BASE_MS * 2 ** (attempts - 1), LONGEST_MS);
	return Math.round(ceiling / 2 + (random() * ceiling) / 2);
}

/**
 * Milliseconds a Retry-After header asks to wait: seconds or an HTTP date (RFC 9110 section 10.2.3). undefined
 * if there is no readable one.
 */
export function retryAfterMs(header: string | undefined, now: number): number | undefined {
	if (header === undefined) return undefined;
	const wait = /^\d+$/.test(header) ? Number(header) * 1_000 : Date.parse(header) - now;
	return Number.isNaN(wait) ? undefined : Math.min(Math.max(wait, 0), LONGEST_MS);
}
