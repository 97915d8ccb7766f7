import { Gathered } from './gathered.ts';
import type { Db } from '../schema.ts';

/**
 * Whose jobs a job may run in step with: between any two of its statements they may write, and its
 * outcome depends on nothing that they do. `other accounts`: with those of its own it takes turns.
 */
export type Beside = 'other accounts' | 'all';

export interface Job {
	run: (db: Db) => Promise<unknown>;
	accountId: string | null;
	beside: Beside | undefined;
	/** How many requests it stores; left out: one. */
	writes?: () => number;
	resolve: (value: unknown) => void;
	reject: (error: unknown) => void;
}

/** Told of every transaction: the writes that shared it, and how long it took, its commit included. */
export type CommitListener = (writes: number, milliseconds: number) => void;

/** Tells a job what became of it, once its group is committed. */
export type Settle = () => void;

export interface GroupCommitOptions<J extends Job> {
	/** Runs the jobs in one transaction; rejects, with all of them undone, when it cannot be committed. */
	commit: (jobs: readonly J[]) => Promise<readonly Settle[]>;
	/** Jobs that share a transaction at most. */
	limit?: number;
	/** Transactions that are open side by side at most; one, where none is named. */
	atOnce?: number;
	onCommit?: CommitListener | undefined;
	/** Called when nothing waits any more. */
	onIdle?: () => void;
}

/**
 * Writes that wait at the same time share one transaction.
 *
 * A commit costs a sync to disk, whatever it holds. Alone, each request would pay for its own sync
 * while the others queue; together, they share it. The price: a job waits for the others of its
 * group, microseconds each.
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

	/** @param job without what is done with its outcome, which the returned promise has */
	run<T>(job: Omit<J, 'run' | 'resolve' | 'reject'> & { run: (db: Db) => Promise<T> }): Promise<T> {
		return new Promise<T>((resolve, reject) =>
			this.add({ ...job, resolve, reject } as unknown as J),
		);
	}

	add(job: J): void {
		this.#groups.ask(job).catch(job.reject);
	}

	/** Resolves when nothing waits to be written. */
	idle(): Promise<void> {
		return this.#groups.idle();
	}
}

function writesOf(jobs: readonly Job[]): number {
	return jobs.reduce((sum, { writes }) => sum + (writes?.() ?? 1), 0);
}
