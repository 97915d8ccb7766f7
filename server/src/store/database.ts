import type { ForeignChange, Topic } from './changes.ts';
import type { Beside, CommitListener } from './engine/group-commit.ts';
import type { RateWindows } from './engine/rate-windows.ts';
import type { AddToSet, RunSet } from './engine/sets.ts';
import type { Db } from './schema.ts';

export interface Database {
	/** For reads outside a transaction; sees what is committed. */
	readonly read: Db;
	/** Counts requests, for all processes that share the store. */
	readonly rateWindows: RateWindows;
	/**
	 * Runs `job` in a transaction and resolves when it is durably committed; rejects, with everything
	 * undone, when the job throws. A job only uses the database, for whatever else it awaits holds up
	 * other writes; and it may run again when another write came in its way.
	 * @param accountId the account whose writes happen one after another, in every process, but for
	 *        those that may run beside `all`; null: the write is of no one account, and is safe by what
	 *        its statements lock
	 */
	write<T>(
		accountId: string | null,
		job: (db: Db) => Promise<T>,
		options?: WriteOptions,
	): Promise<T>;
	/**
	 * Requests of one kind that wait at the same moment are one set, run in one transaction. Those of an
	 * account keep their order and, like `write`, exclude its other writes in every process.
	 * @param run may run again when another transaction came in its way
	 */
	inSets<Q, A>(run: RunSet<Q, A>): AddToSet<Q, A>;
	/** Tells the other processes, soon; a write of an account tells them of the account by itself. */
	announce(topic: Topic): void;
	/** Calls back after another process has changed the data; returns how to stop. */
	onForeignChange(callback: (change: ForeignChange) => void): () => void;
	close(): Promise<void>;
}

export interface WriteOptions {
	/** With whom the job may share its transaction, in step; left out: with nobody. */
	beside?: Beside;
}

export interface StoreListeners {
	/** Told what goes wrong while nobody waits for an answer. */
	onError?: ((error: unknown, what: string) => void) | undefined;
	onCommit?: CommitListener | undefined;
}

/** What the store is opened for. */
export interface StoreUse {
	/** Refuse to create one. */
	mustExist?: boolean;
	/** For a server: the only one on an embedded store. */
	isServer?: boolean;
}
