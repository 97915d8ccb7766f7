/** Factor for the number of random tests and for their time (README "Work on it"). */
const FACTOR = Number(process.env['RANDOM_TEST_FACTOR'] ?? 1);

/** A number of random tests, or milliseconds for them, times RANDOM_TEST_FACTOR. */
export function scaled(count: number): number {
	return Math.round(count * FACTOR);
}
