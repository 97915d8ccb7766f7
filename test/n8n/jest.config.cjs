/** One test file per line of n8n. They run in turn, because each starts a whole n8n. */
module.exports = {
	...require('../jest.config.cjs'),
	rootDir: '.',
	testMatch: ['<rootDir>/*.test.ts'],
	testTimeout: 120_000,
	maxWorkers: 1,
	verbose: true,
};
