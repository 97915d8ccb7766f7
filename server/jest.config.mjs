import { project, run } from '../scripts/jest/common.mjs';

const common = {
	...project,
	modulePathIgnorePatterns: ['<rootDir>/dist'],
	setupFiles: ['<rootDir>/test/support/no-scans/setup.ts'],
};

export default {
	...run,
	// `--selectProjects` takes every word up to the next option, so a script that takes paths has one behind it.
	projects: [
		{
			...common,
			displayName: 'server',
			testMatch: ['<rootDir>/test/**/*.test.ts'],
			testPathIgnorePatterns: [
				'/test/browser/',
				'/test/faults/',
				'/test/fuzz/',
				'/test/chaos/',
				'/test/memory/',
				'/test/postgres/',
				String.raw`/test/\w+/real/`,
			],
		},
		// The same tests on PostgreSQL (scripts/test-postgres.ts), and those of more than one server on it. Not
		// those of what only the embedded store has (a file, its locks, a full disk), nor those of rules
		// that are decided before the store is asked.
		{
			...common,
			displayName: 'postgres',
			testMatch: ['<rootDir>/test/**/*.test.ts'],
			testPathIgnorePatterns: [
				'/test/browser/',
				'/test/faults/',
				'/test/fuzz/',
				'/test/chaos/',
				'/test/memory/',
				'/test/web/',
				'/test/embedded/',
				'/test/operations/licenses',
				String.raw`/test/\w+/real/`,
				'/test/properties/(?!any-text|audience|service-model|tags)',
				'/test/gateways/(addresses|encrypt|fit)',
				'/test/api/(bodies|content-state|cors|dismissal|openapi|push-fields|push-links|raw-requests|timers)',
			],
		},
		// Those of API, phones and console, on the packed program (scripts/test-dist.ts).
		{
			...common,
			displayName: 'dist',
			testEnvironment: '<rootDir>/test/support/dist-environment.ts',
			testMatch: ['<rootDir>/test/{api,device,console}/**/*.test.ts'],
		},
		// Against programs that nobody here wrote: Debian's apprise and prometheus-alertmanager, an npm client.
		{ ...common, displayName: 'senders', testMatch: ['<rootDir>/test/*/real/**/*.test.ts'] },
		{ ...common, displayName: 'chaos', testMatch: ['<rootDir>/test/chaos/**/*.test.ts'] },
		{ ...common, displayName: 'faults', testMatch: ['<rootDir>/test/faults/**/*.test.ts'] },
		{ ...common, displayName: 'memory', testMatch: ['<rootDir>/test/memory/**/*.test.ts'] },
		{ ...common, displayName: 'fuzz', testMatch: ['<rootDir>/test/fuzz/**/*.test.ts'] },
		{ ...common, displayName: 'browser', testMatch: ['<rootDir>/test/browser/**/*.test.ts'] },
	],
};
