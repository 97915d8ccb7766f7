/** One test file per line of n8n; they run one after another, as each starts a whole n8n. */
module.exports = {
	...require('../jest.config.cjs'),
	rootDir: '.',
	testMatch: ['<rootDir>/*.test.ts'],
	testTimeout: 120_000,
	maxWorkers: 1,
	verbose: true,
};
