import type { Job, Settle } from './group-commit.ts';
import type { Db } from '../schema.ts';
import { inStep } from './together.ts';

/** Jobs of a group have thrown; what the others wrote must be undone with theirs. */
export class JobsFailed extends Error {
	readonly errors: ReadonlyMap<Job, unknown>;

	constructor(errors: ReadonlyMap<Job, unknown>) {
		super('Jobs of the group have failed');
		this.errors = errors;
	}
}

export interface Run {
	/** Jobs that get a savepoint each, as they may throw. */
	alone: ReadonlySet<Job>;
	/** Runs a job in a savepoint of its own. */
	inSavepoint: (db: Db, job: Job) => Promise<Settle>;
}

/**
 * Runs the jobs in the transaction that `db` is in: those that may, in step with each other, then the
 * others in turn.
 * @throws JobsFailed when jobs without a savepoint have thrown
 */
export async function runJobs(
	db: Db,
	jobs: readonly Job[],
	{ alone, inSavepoint }: Run,
): Promise<Settle[]> {
	const settle: Settle[] = [];
	const errors = new Map<Job, unknown>();
	const run = async (job: Job): Promise<void> => {
		try {
			const value = await job.run(db);
			settle.push(() => job.resolve(value));
		} catch (error) {
			errors.set(job, error);
		}
	};
	const plain = jobs.filter((job) => !alone.has(job));
	const oneByOne = async (jobs: readonly Job[]) => {
		for (const job of jobs) await run(job);
	};
	const { inStep: sideBySide = [], alone: others = [] } = Object.groupBy(plain, ({ beside }) =>
		beside === undefined ? 'alone' : 'inStep',
	);
	const turns = Map.groupBy(sideBySide, (job) => (job.beside === 'all' ? job : job.accountId));
	await inStep(db, turns.size, () => Promise.all([...turns.values()].map(oneByOne)));
	await oneByOne(others);
	if (errors.size > 0) throw new JobsFailed(errors);
	for (const job of jobs) if (alone.has(job)) settle.push(await inSavepoint(db, job));
	return settle;
}

/**
 * Commits a group, again and again until no job fails without a savepoint. A savepoint for each from the
 * beginning would cost more than the jobs, and jobs fail seldom.
 * @param attempt runs all in one transaction, those of `alone` in savepoints
 */
export async function untilNoneFails(
	jobs: readonly Job[],
	attempt: (alone: ReadonlySet<Job>) => Promise<Settle[]>,
): Promise<Settle[]> {
	let alone: ReadonlySet<Job> = new Set();
	for (;;) {
		try {
			return await attempt(alone);
		} catch (error) {
			if (!(error instanceof JobsFailed)) throw error;
			const [only] = jobs;
			if (jobs.length === 1 && only) return [() => only.reject(error.errors.get(only))];
			// What fails only now, next to the others, is not looked for one by one.
			alone = new Set(alone.size === 0 ? error.errors.keys() : jobs);
		}
	}
}
