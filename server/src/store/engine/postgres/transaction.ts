import { createHash } from 'node:crypto';
import { sql } from 'kysely';
import { StoreUnavailableError } from '../../errors.ts';
import { TRANSACTIONS } from '../../measured.ts';
import { GroupCommit, type Job, runJobs } from '../group-commit.ts';
import type { Db } from '../../schema.ts';
import { isCollision, isConnectionLost } from './pool.ts';

/** Maximum runs of the jobs, after conflicts with other transactions or broken connections. */
const MAX_ATTEMPTS = 4;

/** Id of the transaction; requesting it assigns it immediately. */
const XACT_ID = 'pg_current_xact_id()::text as id';

/**
 * Milliseconds from the start of a commit during which the database is asked for its outcome if the answer
 * is lost: a request gets its response within five seconds.
 */
const CERTAINTY_MS = 4_500;
const CERTAINTY_POLL_MS = 100;

/**
 * Runs the jobs, of one account or of none, in one transaction. Retries it after a conflict, which undoes
 * it completely, so nothing happens twice.
 */
export async function commitOnPostgres(db: Db, accountId: string | null, jobs: readonly Job[]) {
	const wait = accountId === null ? '' : `pg_advisory_xact_lock(${lockKey(accountId)}), `;
	// A single message, which also waits until no other process is writing for the account.
	const begin = `begin; select ${wait}${XACT_ID}`;
	return withRetries((isLast) => {
		const endsAll = (error: unknown) =>
			error instanceof StoreUnavailableError || (isCollision(error) && !isLast);
		return runJobs(jobs, (run) => new Transaction(db).run(begin, run), endsAll);
	});
}

/**
 * Runs `work` in one transaction, which locks accounts; runs again after a conflict.
 * @param work gets the accounts locked, and must not touch others
 * @param waits locks all of them, in the order of their keys, so that no two transactions wait for each other; false:
 *        only those that are free
 */
export function commitSetOnPostgres<T>(
	db: Db,
	accounts: readonly string[],
	work: (db: Db, locked: ReadonlySet<string>) => Promise<T>,
	waits: boolean,
): Promise<T> {
	const keys = accounts
		.map((id, place) => ({ place, key: lockKey(id) }))
		.sort((a, b) => (a.key < b.key ? -1 : 1))
		.map(({ place, key }) => `(${place}, ${key})`)
		.join(', ');
	const lock = waits ? 'pg_advisory_xact_lock(key) is not null' : 'pg_try_advisory_xact_lock(key)';
	const begin = `begin; select ${XACT_ID}, place, ${lock} as is_locked
		from (values ${keys}) as accounts(place, key)`;
	return withRetries(() =>
		new Transaction(db).run(begin, (db, begun) => {
			const locked = begun.filter((row) => row.is_locked);
			return work(db, new Set(locked.map(({ place = -1 }) => accounts[place] ?? '')));
		}),
	);
}

async function withRetries<T>(attempt: (isLast: boolean) => Promise<T>): Promise<T> {
	for (let count = 1; ; count += 1) {
		const isLast = count === MAX_ATTEMPTS;
		try {
			return await attempt(isLast);
		} catch (error) {
			if (isLast || !mayRunAgain(error)) throw error;
		}
	}
}

function mayRunAgain(error: unknown): boolean {
	if (error instanceof StoreUnavailableError)
		return !error.isUncertain && error.cause !== undefined && isSessionOver(error);
	return isCollision(error);
}

/**
 * True for a connection that broke in use. One that could not be opened is retried not here, but by the
 * next request.
 */
function isSessionOver({ cause }: StoreUnavailableError): boolean {
	const isRefused = cause instanceof Error && 'syscall' in cause && cause.syscall === 'connect';
	return !isRefused && isConnectionLost(cause);
}

/** The result of beginning a transaction: its id and, of a set, the accounts it has locked. */
interface Begun {
	id: string;
	place?: number;
	is_locked?: boolean;
}

class Transaction {
	readonly #db: Db;
	#id: string | undefined;
	#committingSince: number | undefined;

	constructor(db: Db) {
		this.#db = db;
	}

	/** @param work gets the rows returned by `begin` */
	async run<T>(begin: string, work: (db: Db, begun: readonly Begun[]) => Promise<T>): Promise<T> {
		const done: T[] = [];
		try {
			await this.#db.connection().execute(async (db) => {
				const opened = performance.now();
				try {
					const { rows } = await sql.raw<Begun>(begin).execute(db);
					this.#id = rows[0]?.id;
					done.push(await work(db, rows));
					this.#committingSince = performance.now();
					await commit(db);
				} catch (error) {
					await sql`rollback`.execute(db).catch(() => {
						// The connection is broken, and the transaction with it.
					});
					throw error;
				} finally {
					TRANSACTIONS.publish(performance.now() - opened);
				}
			});
		} catch (error) {
			if (this.#committingSince === undefined || !isResponseLost(error)) throw error;
			await this.#makeSure(error, this.#committingSince + CERTAINTY_MS);
		}
		return done[0] as T;
	}

	/**
	 * Asks the database, once it is back, for the outcome of a commit during which the connection broke.
	 * Returns if it was committed, throws otherwise.
	 */
	async #makeSure(lost: unknown, deadline: number): Promise<void> {
		do {
			const status = await findStatus(this.#db, this.#id).catch(() => undefined);
			if (status === 'committed') return;
			if (status === 'aborted') throw lost;
			await new Promise((resolve) => setTimeout(resolve, CERTAINTY_POLL_MS));
		} while (performance.now() < deadline);
		throw new StoreUnavailableError('The connection was lost during a commit', {
			cause: lost,
			isUncertain: true,
		});
	}
}

function isResponseLost(error: unknown): boolean {
	return error instanceof StoreUnavailableError && isConnectionLost(error.cause);
}

async function commit(db: Db): Promise<void> {
	const { rows } = await sql<{ command: string }>`commit`.execute(db);
	// PostgreSQL's answer if an error inside the transaction was swallowed.
	if (rows[0]?.command === 'ROLLBACK') throw new Error('The transaction was rolled back');
}

async function findStatus(db: Db, id: string | undefined): Promise<string | null | undefined> {
	type Row = { status: string | null };
	const query = sql<Row>`select pg_xact_status(${id}::text::xid8) as status`;
	return (await query.execute(db)).rows[0]?.status;
}

/** Accounts that happen to share a key only wait for each other. */
function lockKey(accountId: string): bigint {
	return createHash('sha256').update(`account ${accountId}`).digest().readBigInt64BE();
}

/** Maximum jobs that share a transaction: the first gets its result with the last. */
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
		const group =
			this.#ofAccount.get(accountId) ??
			new GroupCommit({
				run: (jobs) => commitOnPostgres(this.#db, accountId, jobs),
				limit: JOBS_PER_COMMIT,
				onIdle: () => this.#ofAccount.delete(accountId),
			});
		this.#ofAccount.set(accountId, group);
		return group.run(run);
	}

	/** Runs a write of no single account, in a separate transaction. */
	runWithoutAccount<T>(run: (db: Db) => Promise<T>): Promise<T> {
		return new GroupCommit({ run: (jobs) => commitOnPostgres(this.#db, null, jobs) }).run(run);
	}

	/** Resolves when no write is waiting. */
	async idle(): Promise<void> {
		await Promise.all([...this.#ofAccount.values()].map((group) => group.idle()));
	}
}
