import { HOUR_MS } from '../durations.ts';
const BASE_MS = 5_000;
const LONGEST_MS = HOUR_MS;

/** Attempts before a delivery is given up: about four hours, with the waits below. */
export const MAX_ATTEMPTS = 15;

/**
 * Milliseconds to wait after the given number of failed attempts (1 or more): doubles from 5 s to an hour, with
 * equal jitter, so devices that failed together do not return together.
 */
export function backoffMs(attempts: number, random: () => number = Math.random): number {
	const ceiling = Math.min(BASE_MS * 2 ** (attempts - 1), LONGEST_MS);
	return Math.round(ceiling / 2 + (random() * ceiling) / 2);
}
