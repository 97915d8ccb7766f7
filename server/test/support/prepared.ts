import type { First } from './reach.ts';

/** The preparations of scripts/test-dist.ts for its run. */
export interface Prepared {
	/** The packed program. */
	main: string;
	/** Its data, with the first account, a key and a phone: each test's server gets a copy. */
	data: string;
	first: First;
	/** File for the list of tests left out. */
	leftOut: string;
}

/** Undefined: this run tests the source. */
export const PREPARED =
	process.env['TEST_DIST'] === undefined
		? undefined
		: (JSON.parse(process.env['TEST_DIST']) as Prepared);
