import { sql } from 'kysely';
import type { Job } from './group-commit.ts';
import type { Db } from '../schema.ts';
import type { Decision } from './sets.ts';

/** What each job of a group returned or threw, in their order. */
export type Outcomes = ReadonlyArray<Decision<unknown>>;

/** Jobs of a group have thrown; the others' writes must be undone with theirs. */
class JobsFailed extends Error {
	readonly errors: ReadonlyMap<Job, unknown>;

	constructor(errors: ReadonlyMap<Job, unknown>) {
		super('Jobs of the group have failed');
		this.errors = errors;
	}
}

export interface Run {
	/** Jobs that get a savepoint each, as they may throw. */
	alone: ReadonlySet<Job>;
	/** True for an error that ends the whole transaction. */
	endsAll?: (error: unknown) => boolean;
}

/**
 * Runs the jobs in the transaction of `db`, one after another.
 * @throws JobsFailed when jobs without a savepoint have thrown; or the error that ends the transaction
 */
export async function runJobs(
	db: Db,
	jobs: readonly Job[],
	{ alone, endsAll = () => false }: Run,
): Promise<Outcomes> {
	const outcomes: Array<Decision<unknown>> = [];
	const errors = new Map<Job, unknown>();
	for (const [place, job] of jobs.entries()) {
		if (alone.has(job)) continue;
		try {
			outcomes[place] = { answer: await job.run(db) };
		} catch (error) {
			if (endsAll(error)) throw error;
			errors.set(job, error);
		}
	}
	if (errors.size > 0) throw new JobsFailed(errors);
	for (const [place, job] of jobs.entries())
		if (alone.has(job)) outcomes[place] = await runInSavepoint(db, job, endsAll);
	return outcomes;
}

async function runInSavepoint(
	db: Db,
	job: Job,
	endsAll: (error: unknown) => boolean,
): Promise<Decision<unknown>> {
	await sql`savepoint job`.execute(db);
	try {
		const answer = await job.run(db);
		await sql`release job`.execute(db);
		return { answer };
	} catch (error) {
		if (endsAll(error)) throw error;
		await sql`rollback to job`.execute(db);
		await sql`release job`.execute(db);
		return { error };
	}
}

/**
 * Commits a group, repeating until no job without a savepoint fails. Savepoints for all from the start
 * would cost more than the jobs, and jobs rarely fail.
 * @param attempt runs all jobs in one transaction, those of `alone` in savepoints
 */
export async function commitIsolatingFailures(
	jobs: readonly Job[],
	attempt: (alone: ReadonlySet<Job>) => Promise<Outcomes>,
): Promise<Outcomes> {
	let alone: ReadonlySet<Job> = new Set();
	for (;;) {
		try {
			return await attempt(alone);
		} catch (error) {
			if (!(error instanceof JobsFailed)) throw error;
			const [only] = jobs;
			if (jobs.length === 1 && only) return [{ error: error.errors.get(only) }];
			// If others fail in the second attempt, all jobs get savepoints.
			alone = new Set(alone.size === 0 ? error.errors.keys() : jobs);
		}
	}
}
