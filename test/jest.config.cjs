const { availableParallelism } = require('node:os');

/** Tests of the node package. Those in nodes/ run the built nodes in n8n's engine against a server. */
module.exports = {
	rootDir: '.',
	testEnvironment: 'node',
	testMatch: ['<rootDir>/{cli,docs,src,nodes}/**/*.test.ts'],
	transform: {
		'^.+\\.ts$': [
			'@swc/jest',
			{ jsc: { target: 'es2023', parser: { syntax: 'typescript' } }, module: { type: 'commonjs' } },
		],
	},
	// Some start the server and its command line several times, on busy machines.
	testTimeout: 60_000 * Number(process.env.RANDOM_TEST_FACTOR ?? 1),
	// One more than cores: tests wait for processes and disks.
	maxWorkers: availableParallelism() + 1,
	moduleFileExtensions: ['ts', 'js', 'json', 'node'],
};
