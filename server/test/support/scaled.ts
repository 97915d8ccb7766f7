/** Factor for the number of random tests and for their time (CONTRIBUTING.md "All commands"). */
const FACTOR = Number(process.env['RANDOM_TEST_FACTOR'] ?? 1);

/** A number of random tests, or milliseconds for them, times RANDOM_TEST_FACTOR. */
export function scaled(count: number): number {
	return Math.round(count * FACTOR);
}
