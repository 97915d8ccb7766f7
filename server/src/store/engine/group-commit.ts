import { Batcher } from './batcher.ts';
import type { Db } from '../schema.ts';

export interface Job {
	run: (db: Db) => Promise<unknown>;
	/** Number of requests it stores; omitted: one. */
	writes?: () => number;
	resolve: (value: unknown) => void;
	reject: (error: unknown) => void;
}

/** Called for every transaction with the number of its writes and its duration, including the commit. */
export type CommitListener = (writes: number, milliseconds: number) => void;

/** Reports a job's outcome to its caller once its group is committed. */
export type Settle = () => void;

export interface GroupCommitOptions {
	/** Runs the jobs in one transaction; rejects, with all of them undone, when it cannot be committed. */
	commit: (jobs: readonly Job[]) => Promise<readonly Settle[]>;
	/** Maximum jobs that share a transaction. */
	limit?: number;
	onCommit?: CommitListener | undefined;
	/** Called when the queue is empty. */
	onIdle?: () => void;
}

/**
 * Writes that wait at the same time share one transaction.
 *
 * A commit costs a sync to disk, whatever it contains. Alone, each request would pay for its own sync
 * while the others queue; together, they share it. The price: a job waits for the others of its group,
 * microseconds each.
 */
export class GroupCommit {
	readonly #groups: Batcher<Job, never>;

	constructor({ commit, onCommit, ...options }: GroupCommitOptions) {
		this.#groups = new Batcher<Job, never>({
			...options,
			async run(jobs) {
				const began = performance.now();
				const settled = await commit(jobs).finally(() =>
					onCommit?.(countWrites(jobs), performance.now() - began),
				);
				for (const settle of settled) settle();
				return [];
			},
		});
	}

	/** @param writes the number of requests that `run` stores; omitted: one */
	run<T>(run: (db: Db) => Promise<T>, writes?: () => number): Promise<T> {
		return new Promise<T>((resolve, reject) => {
			const job: Job = {
				run,
				resolve: resolve as (value: unknown) => void,
				reject,
				...(writes && { writes }),
			};
			this.#groups.submit(job).catch(reject);
		});
	}

	/** Resolves when no write is waiting. */
	idle(): Promise<void> {
		return this.#groups.idle();
	}
}

function countWrites(jobs: readonly Job[]): number {
	return jobs.reduce((sum, { writes }) => sum + (writes?.() ?? 1), 0);
}
