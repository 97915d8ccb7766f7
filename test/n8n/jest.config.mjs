import tests from '../jest.config.mjs';

/** One test file per line of n8n. Both run at once: each mostly waits for its n8n. */
export default {
	...tests,
	rootDir: '.',
	roots: ['<rootDir>'],
	testMatch: ['<rootDir>/*.test.ts'],
	// A question's answer is told again for several minutes.
	testTimeout: 600_000,
	maxWorkers: 2,
	verbose: true,
};
