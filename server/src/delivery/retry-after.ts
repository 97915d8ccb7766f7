import { HOUR_MS } from '../durations.ts';
/** A gateway may ask for patience, but not for so long that a delivery is forgotten. */
const LONGEST_MS = HOUR_MS;

/**
 * Milliseconds a Retry-After header asks to wait: seconds or an HTTP date (RFC 9110 section 10.2.3). undefined
 * if there is no readable one.
 */
export function retryAfterMs(header: string | undefined, now: number): number | undefined {
	if (header === undefined) return undefined;
	const wait = /^\d+$/.test(header) ? Number(header) * 1_000 : Date.parse(header) - now;
	return Number.isNaN(wait) ? undefined : Math.min(Math.max(wait, 0), LONGEST_MS);
}
