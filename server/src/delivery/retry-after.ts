/** A gateway may ask for patience, but not for so much that a delivery is forgotten. */
const LONGEST_MS = 60 * 60 * 1_000;

/**
 * Milliseconds that a Retry-After header asks to wait: seconds or an HTTP date (RFC 9110 section
 * 10.2.3). undefined when there is none that can be read.
 */
export function retryAfterMs(header: string | undefined, now: number): number | undefined {
	if (header === undefined) return undefined;
	const wait = /^\d+$/.test(header) ? Number(header) * 1_000 : Date.parse(header) - now;
	return Number.isNaN(wait) ? undefined : Math.min(Math.max(wait, 0), LONGEST_MS);
}
