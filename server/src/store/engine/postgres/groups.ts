import type { WriteOptions } from '../../database.ts';
import { type CommitListener, GroupCommit } from '../group-commit.ts';
import type { Db } from '../../schema.ts';
import { type AccountJob, commitOnPostgres, commitSharedOnPostgres } from './transaction.ts';

/** Maximum jobs that share a transaction: the first is answered with the last. */
const JOBS_PER_COMMIT = 100;

/** Concurrent shared transactions of this process: one runs its jobs while another reaches the disk. */
const SHARED_AT_ONCE = 2;

/**
 * Groups writes into transactions. Those that may run concurrently share one, whatever their accounts; the
 * others share one only with writes of their account, and wait for those before them.
 */
export class PostgresGroups {
	readonly #db: Db;
	readonly #onCommit: CommitListener | undefined;
	readonly #shared: GroupCommit<AccountJob>;
	readonly #ofAccount = new Map<string, GroupCommit<AccountJob>>();

	constructor(db: Db, onCommit: CommitListener | undefined) {
		this.#db = db;
		this.#onCommit = onCommit;
		this.#shared = new GroupCommit({
			commit: (jobs) =>
				commitSharedOnPostgres(db, jobs, (job) => this.#groupOf(job.accountId).add(job)),
			limit: JOBS_PER_COMMIT,
			atOnce: SHARED_AT_ONCE,
			onCommit,
		});
	}

	run<T>(
		accountId: string,
		run: (db: Db) => Promise<T>,
		{ beside }: WriteOptions = {},
	): Promise<T> {
		// Queues behind waiting writes of the same account.
		const waitsForItsOwn = beside === undefined || this.#ofAccount.has(accountId);
		const group = waitsForItsOwn ? this.#groupOf(accountId) : this.#shared;
		return group.run({ run, accountId, beside });
	}

	/** Runs a write of no single account, in a separate transaction. */
	runOfNone<T>(run: (db: Db) => Promise<T>): Promise<T> {
		return new GroupCommit({
			commit: (jobs) => commitOnPostgres(this.#db, null, jobs),
			onCommit: this.#onCommit,
		}).run({ run, accountId: null, beside: undefined });
	}

	/** Resolves when no write is waiting. */
	async idle(): Promise<void> {
		await this.#shared.idle();
		await Promise.all([...this.#ofAccount.values()].map((group) => group.idle()));
	}

	#groupOf(accountId: string): GroupCommit<AccountJob> {
		const group =
			this.#ofAccount.get(accountId) ??
			new GroupCommit<AccountJob>({
				commit: (jobs) => commitOnPostgres(this.#db, accountId, jobs),
				limit: JOBS_PER_COMMIT,
				onCommit: this.#onCommit,
				onIdle: () => this.#ofAccount.delete(accountId),
			});
		this.#ofAccount.set(accountId, group);
		return group;
	}
}
