import { availableParallelism } from 'node:os';
import { join } from 'node:path';

const beside = (name) => join(import.meta.dirname, name);

/** Settings of every test project. */
export const project = {
	testEnvironment: beside('environment.ts'),
	runtime: beside('runtime.ts'),
	// Node.js itself strips the types.
	transform: {},
};

/** Settings of every run. */
export const run = {
	// Only ends what hangs: no test depends on the machine's speed. Longer than the waits of the tests' helpers, which
	// can name what did not arrive.
	testTimeout: 300_000 * Math.max(1, Number(process.env.RANDOM_TEST_FACTOR ?? 1)),
	// With one worker per core, two cores spend a sixth of their time waiting for processes and disks.
	maxWorkers: availableParallelism() + 1,
};
