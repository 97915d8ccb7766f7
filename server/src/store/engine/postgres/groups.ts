import { GroupCommit } from '../group-commit.ts';
import type { Db } from '../../schema.ts';
import { commitOnPostgres } from './transaction.ts';

/** Maximum jobs that share a transaction: the first is answered with the last. */
const JOBS_PER_COMMIT = 100;

/**
 * Groups writes into transactions. An account with writes has one group, from its first write until none waits
 * (`onIdle`). The group commits one transaction at a time, which holds the account's lock: writes of an account keep
 * their order, and exclude its sets and its writes in other processes.
 */
export class PostgresGroups {
	readonly #db: Db;
	readonly #ofAccount = new Map<string, GroupCommit>();

	constructor(db: Db) {
		this.#db = db;
	}

	run<T>(accountId: string, run: (db: Db) => Promise<T>): Promise<T> {
		return this.#groupOf(accountId).run(run);
	}

	/** Runs a write of no single account, in a separate transaction. */
	runOfNone<T>(run: (db: Db) => Promise<T>): Promise<T> {
		return new GroupCommit({ commit: (jobs) => commitOnPostgres(this.#db, null, jobs) }).run(run);
	}

	/** Resolves when no write is waiting. */
	async idle(): Promise<void> {
		await Promise.all([...this.#ofAccount.values()].map((group) => group.idle()));
	}

	#groupOf(accountId: string): GroupCommit {
		const group =
			this.#ofAccount.get(accountId) ??
			new GroupCommit({
				commit: (jobs) => commitOnPostgres(this.#db, accountId, jobs),
				limit: JOBS_PER_COMMIT,
				onIdle: () => this.#ofAccount.delete(accountId),
			});
		this.#ofAccount.set(accountId, group);
		return group;
	}
}
