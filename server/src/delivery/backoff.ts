const BASE_MS = 5_000;
const LONGEST_MS = 60 * 60 * 1_000;

/** Attempts after which a delivery is given up: with the waits below, about four hours. */
export const MAX_ATTEMPTS = 15;

/**
 * Milliseconds to wait after the given number of failed attempts (1 or more): doubling from 5 s to
 * an hour, with equal jitter so that devices which failed together do not come back together.
 */
export function backoffMs(attempts: number, random: () => number = Math.random): number {
	const ceiling = Math.min(BASE_MS * 2 ** (attempts - 1), LONGEST_MS);
	return Math.round(ceiling / 2 + (random() * ceiling) / 2);
}
