import { availableParallelism } from 'node:os';
import { join } from 'node:path';

const beside = (name) => join(import.meta.dirname, name);

/** Of every project of tests. */
export const project = {
	testEnvironment: beside('environment.ts'),
	runtime: beside('runtime.ts'),
	// Node.js itself strips the types.
	transform: {},
};

/** Of every run. */
export const run = {
	// Only ends what hangs: no test depends on how fast a machine is. Longer than what the tests' helpers wait, who can
	// name what did not come.
	testTimeout: 300_000 * Math.max(1, Number(process.env.RANDOM_TEST_FACTOR ?? 1)),
	// With one per core, a sixth of the time of two cores is spent waiting for processes and disks.
	maxWorkers: availableParallelism() + 1,
};
