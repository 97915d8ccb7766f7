import type { Db } from './schema.ts';

export interface Job {
	run: (db: Db) => Promise<unknown>;
	resolve: (value: unknown) => void;
	reject: (error: unknown) => void;
}

/** Told of every transaction: the writes that shared it, and how long it took, its commit included. */
export type CommitListener = (writes: number, milliseconds: number) => void;

/** Tells a job what became of it, once its group is committed. */
export type Settle = () => void;

export interface GroupCommitOptions {
	/** Runs the jobs in one transaction; rejects, with all of them undone, when it cannot be committed. */
	commit: (jobs: readonly Job[]) => Promise<Settle[]>;
	/** Jobs that share a transaction at most. */
	limit?: number;
	onCommit?: CommitListener | undefined;
	/** Called when nothing waits any more. */
	onIdle?: () => void;
}

/**
 * Writes that wait for one another share one transaction.
 *
 * A commit costs a sync to disk, whatever it holds. Alone, each request would pay for its own sync
 * while the others queue; together, they share it. The price: a job waits for the others of its
 * group, microseconds each.
 */
export class GroupCommit {
	readonly #options: GroupCommitOptions;
	readonly #queue: Job[] = [];
	#draining: Promise<void> | undefined;

	constructor(options: GroupCommitOptions) {
		this.#options = options;
	}

	run<T>(job: (db: Db) => Promise<T>): Promise<T> {
		return new Promise<T>((resolve, reject) => {
			this.#queue.push({ run: job, resolve: resolve as (value: unknown) => void, reject });
			this.#draining ??= this.#drain();
		});
	}

	/** Resolves when nothing waits to be written. */
	async idle(): Promise<void> {
		while (this.#draining) await this.#draining;
	}

	async #drain(): Promise<void> {
		const { commit, limit = Infinity, onCommit, onIdle } = this.#options;
		// Let the rest of this turn's requests join the group.
		await new Promise((resolve) => setImmediate(resolve));
		while (this.#queue.length > 0) {
			const jobs = this.#queue.splice(0, limit);
			const began = performance.now();
			const settled = await commit(jobs).catch((error: unknown) => rejectAll(jobs, error));
			onCommit?.(jobs.length, performance.now() - began);
			for (const settle of settled) settle();
		}
		this.#draining = undefined;
		onIdle?.();
	}
}

function rejectAll(jobs: readonly Job[], error: unknown): Settle[] {
	return jobs.map((job) => () => job.reject(error));
}
