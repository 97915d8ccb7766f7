import type { RateWindows } from './engine/rate-windows.ts';
import type { AddToSet, RunSet } from './engine/sets.ts';
import type { Db } from './schema.ts';

/** What was migrated in a store, or would be. */
export interface Migrated {
	/** The newest migration that the store had. */
	from: string;
	/** The newest migration of this program. */
	to: string;
	/** The file that holds the embedded store as it was. */
	copy?: string | undefined;
	/** The statements that a migration would run; none was run. */
	statements?: readonly string[];
}

export interface Database {
	/** What opening it has migrated. */
	readonly migrated: Migrated | undefined;
	/** For reads outside a transaction; sees committed data only. */
	readonly read: Db;
	/**
	 * Reads a part of something long: of a search, a count or a list. On a store with one connection, after the
	 * parts requested before it, so that other work has its turn between any two. A part must not ask for another.
	 * @param part takes a few milliseconds at most
	 */
	readInTurn<T>(part: (db: Db) => Promise<T>): Promise<T>;
	/** Counts requests across all processes that share the store. */
	readonly rateWindows: RateWindows;
	/**
	 * Runs `job` in a transaction and resolves when it is durably committed; rejects, with everything
	 * undone, when the job throws. A job must only use the database: anything else it awaits delays other
	 * writes. It may run again after a conflict with another write.
	 * @param accountId the account whose writes are serialized, across all processes; null: the write belongs to
	 *        no single account, and relies on the locks of its statements
	 */
	write<T>(accountId: string | null, job: (db: Db) => Promise<T>): Promise<T>;
	/**
	 * Requests of one kind that wait at the same time form a set, run in one transaction. Those of an
	 * account keep their order and, like `write`, exclude its other writes in every process.
	 * @param run may run again after a conflict with another transaction
	 */
	inSets<Q, A>(run: RunSet<Q, A>): AddToSet<Q, A>;
	/** Announces a change to the other processes shortly afterward. A write announces its account by itself. */
	announce(topic: Topic): void;
	/** Calls back after another process has changed the data; returns a function that stops it. */
	onRemoteChange(callback: (change: RemoteChange) => void): () => void;
	close(): Promise<void>;
}

/** Options for opening the store. */
export interface StoreOptions {
	/** Receives errors that occur when no caller is waiting. */
	onError?: ((error: unknown, what: string) => void) | undefined;
	/** Do not create a store. */
	mustExist?: boolean;
	/**
	 * What to do with a store that an older version wrote. Omitted: refuse it. `migrate alone`: unless servers run on
	 * it. `plan`: only find out what a migration would do.
	 */
	olderStore?: 'migrate' | 'migrate alone' | 'plan' | undefined;
	/** Claims an embedded store exclusively: for a server, or for work during which no server may run. */
	isServer?: boolean;
	/** Waits for PostgreSQL however long a statement takes, such as a copy of everything. */
	hasNoTimeouts?: boolean;
}

/**
 * What the other processes sharing the database should reload. An announcement has no content, and nothing is
 * lost if no process is listening.
 * - `account`: anything of the account: keys, devices, history, running activities.
 * - `inbox`: the inbox of one device. `dismissals`: notifications dismissed on it. `metrics`: the
 *   account's metrics, as its phones show them.
 * - `lane`: a delivery that others may have waited for is finished.
 * - `question`: a question has ended. `trigger`: it has a tap, or another listener.
 * - `call`: its client has cancelled it.
 * - `outbox`: deliveries that this process leaves to others are due.
 */
export type Topic =
	| `account ${string}`
	| `inbox ${string}`
	| `dismissals ${string}`
	| `metrics ${string}`
	| `question ${string}`
	| `trigger ${string}`
	| `call ${string}`
	| 'lane'
	| 'outbox';

/** Changes made by another process; `everything`: the changes are unknown. */
export type RemoteChange = ReadonlySet<Topic> | 'everything';
