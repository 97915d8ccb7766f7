import { Gathered } from './gathered.ts';
import type { Db } from '../schema.ts';

/**
 * Which other writes may run concurrently in the same transaction: they may write between any two of the
 * job's statements, and must not affect its outcome. `other accounts`: jobs of the same account run in
 * turn.
 */
export type Beside = 'other accounts' | 'all';

export interface Job {
	run: (db: Db) => Promise<unknown>;
	accountId: string | null;
	beside: Beside | undefined;
	/** Number of requests it stores; omitted: one. */
	writes?: () => number;
	resolve: (value: unknown) => void;
	reject: (error: unknown) => void;
}

/** Called for every transaction with the number of its writes and its duration, including the commit. */
export type CommitListener = (writes: number, milliseconds: number) => void;

/** Reports a job's outcome to its caller once its group is committed. */
export type Settle = () => void;

export interface GroupCommitOptions<J extends Job> {
	/** Runs the jobs in one transaction; rejects, with all of them undone, when it cannot be committed. */
	commit: (jobs: readonly J[]) => Promise<readonly Settle[]>;
	/** Maximum jobs that share a transaction. */
	limit?: number;
	/** Maximum concurrent transactions; one by default. */
	atOnce?: number;
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
export class GroupCommit<J extends Job = Job> {
	readonly #groups: Gathered<J, never>;

	constructor({ commit, onCommit, ...options }: GroupCommitOptions<J>) {
		this.#groups = new Gathered<J, never>({
			...options,
			async answer(jobs) {
				const began = performance.now();
				const settled = await commit(jobs).finally(() =>
					onCommit?.(writesOf(jobs), performance.now() - began),
				);
				for (const settle of settled) settle();
				return [];
			},
		});
	}

	/** @param job without the callbacks for its outcome, which the returned promise replaces */
	run<T>(job: Omit<J, 'run' | 'resolve' | 'reject'> & { run: (db: Db) => Promise<T> }): Promise<T> {
		return new Promise<T>((resolve, reject) =>
			this.add({ ...job, resolve, reject } as unknown as J),
		);
	}

	add(job: J): void {
		this.#groups.ask(job).catch(job.reject);
	}

	/** Resolves when no write is waiting. */
	idle(): Promise<void> {
		return this.#groups.idle();
	}
}

function writesOf(jobs: readonly Job[]): number {
	return jobs.reduce((sum, { writes }) => sum + (writes?.() ?? 1), 0);
}
