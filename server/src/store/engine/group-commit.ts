import { Batcher } from './batcher.ts';
import type { Db } from '../schema.ts';
import type { Decision } from './sets.ts';
import { sql } from 'kysely';

/** What each job of a group returned or threw, in their order. */
export type Outcomes = ReadonlyArray<Decision<unknown>>;

/**
 * Runs the jobs of a group, one after another, in one transaction. If one throws, all run again in another, each in a
 * savepoint: one that throws then undoes nothing of the others. Savepoints from the start would cost more than the
 * jobs, and jobs rarely throw.
 * @param transaction runs them in a transaction
 * @param endsAll true for an error that ends the whole transaction
 * @throws what ended a transaction
 */
export async function runJobs(
	jobs: readonly Job[],
	transaction: (run: (db: Db) => Promise<Outcomes>) => Promise<Outcomes>,
	endsAll: (error: unknown) => boolean = () => false,
): Promise<Outcomes> {
	let failure: { error: unknown } | undefined;
	try {
		return await transaction(async (db) => {
			const outcomes = [];
			for (const job of jobs) {
				const outcome = await run(db, job, endsAll);
				if ('error' in outcome) throw (failure = outcome).error;
				outcomes.push(outcome);
			}
			return outcomes;
		});
	} catch (error) {
		if (!failure) throw error;
	}
	if (jobs.length === 1) return [failure];
	return transaction(async (db) => {
		const outcomes = [];
		for (const job of jobs) {
			await sql`savepoint job`.execute(db);
			const outcome = await run(db, job, endsAll);
			if ('error' in outcome) await sql`rollback to job`.execute(db);
			await sql`release job`.execute(db);
			outcomes.push(outcome);
		}
		return outcomes;
	});
}

async function run(
	db: Db,
	job: Job,
	endsAll: (error: unknown) => boolean,
): Promise<Decision<unknown>> {
	try {
		return { result: await job(db) };
	} catch (error) {
		if (endsAll(error)) throw error;
		return { error };
	}
}

export type Job = (db: Db) => Promise<unknown>;

/**
 * Writes that wait at the same time share one transaction. Its batches reject, with all jobs undone, when that cannot be
 * committed.
 *
 * A commit costs a sync to disk, whatever it contains. Separately, each request would need its own sync
 * while the others queue; together, they share it. The cost: a job waits for the others of its group,
 * microseconds each.
 */
export class GroupCommit extends Batcher<Job, Decision<unknown>> {
	async run<T>(job: (db: Db) => Promise<T>): Promise<T> {
		const outcome = await this.submit(job);
		if ('error' in outcome) throw outcome.error;
		return outcome.result as T;
	}
}
