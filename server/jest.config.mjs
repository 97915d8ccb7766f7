/** The server's tests run as ES modules: `node --experimental-vm-modules node_modules/jest/bin/jest.js`. */
const common = {
	testEnvironment: 'node',
	extensionsToTreatAsEsm: ['.ts', '.tsx'],
	transform: {
		'^.+\\.tsx?$': [
			'@swc/jest',
			{
				jsc: {
					target: 'es2024',
					parser: { syntax: 'typescript', tsx: true },
					transform: { react: { runtime: 'automatic' } },
				},
				module: { type: 'es6' },
				sourceMaps: 'inline',
			},
		],
	},
	modulePathIgnorePatterns: ['<rootDir>/dist'],
};

export default {
	projects: [
		{ ...common, displayName: 'server', testMatch: ['<rootDir>/test/**/*.test.ts'], testPathIgnorePatterns: ['/test/browser/', '/test/faults/'] },
		{ ...common, displayName: 'faults', testMatch: ['<rootDir>/test/faults/**/*.test.ts'] },
		{ ...common, displayName: 'browser', testMatch: ['<rootDir>/test/browser/**/*.test.ts'] },
	],
};
