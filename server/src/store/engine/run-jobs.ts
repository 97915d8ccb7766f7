import { sql } from 'kysely';
import type { Job, Settle } from './group-commit.ts';
import type { Db } from '../schema.ts';

/** Jobs of a group have thrown; the writes of the others must be undone with theirs. */
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
): Promise<Settle[]> {
	const settle: Settle[] = [];
	const errors = new Map<Job, unknown>();
	for (const job of jobs) {
		if (alone.has(job)) continue;
		try {
			const value = await job.run(db);
			settle.push(() => job.resolve(value));
		} catch (error) {
			if (endsAll(error)) throw error;
			errors.set(job, error);
		}
	}
	if (errors.size > 0) throw new JobsFailed(errors);
	for (const job of jobs) if (alone.has(job)) settle.push(await runInSavepoint(db, job, endsAll));
	return settle;
}

async function runInSavepoint(
	db: Db,
	job: Job,
	endsAll: (error: unknown) => boolean,
): Promise<Settle> {
	await sql`savepoint job`.execute(db);
	try {
		const value = await job.run(db);
		await sql`release job`.execute(db);
		return () => job.resolve(value);
	} catch (error) {
		if (endsAll(error)) throw error;
		await sql`rollback to job`.execute(db);
		await sql`release job`.execute(db);
		return () => job.reject(error);
	}
}

/**
 * Commits a group, repeating until no job without a savepoint fails. Savepoints for all from the start
 * would cost more than the jobs, and jobs seldom fail.
 * @param attempt runs all jobs in one transaction, those of `alone` in savepoints
 */
export async function commitIsolatingFailures(
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
			// If others fail in the second attempt, all jobs get savepoints.
			alone = new Set(alone.size === 0 ? error.errors.keys() : jobs);
		}
	}
}
