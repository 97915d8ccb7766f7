/** One test file per line of n8n. Both run at once: each mostly waits for its n8n. */
module.exports = {
	...require('../jest.config.cjs'),
	rootDir: '.',
	testMatch: ['<rootDir>/*.test.ts'],
	testTimeout: 120_000,
	maxWorkers: 2,
	verbose: true,
};
