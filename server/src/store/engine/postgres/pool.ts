import { hash } from 'node:crypto';
import pg from 'pg';
import {
	HandleEmptyInListsPlugin,
	Kysely,
	type PostgresCursor,
	PostgresDialect,
	type PostgresPool,
	type PostgresPoolClient,
	type PostgresQueryResult,
	replaceWithNoncontingentExpression,
} from 'kysely';
import { BoundedMap } from '../../../collections.ts';
import { STATEMENT, toParameters, withStatement } from '../statement.ts';
import { StoreUnavailableError } from '../../errors.ts';
import type { Db, Tables } from '../../schema.ts';
import { CONNECTION_WAITS } from '../../measured.ts';

/** Milliseconds a query waits for a free or new connection: a request is answered within five seconds. */
const CONNECT_TIMEOUT_MS = 4_250;

/**
 * Milliseconds a statement may take, including the wait for another process's write of the same account: longer
 * than such a process can stall, and shorter than the five seconds in which a request is answered.
 */
const STATEMENT_TIMEOUT_MS = 4_000;

/**
 * Milliseconds before a process stalled in the middle of a write is cut off; until then it blocks other
 * writes of its accounts. Must be shorter than the wait for a connection, or other writes would be refused
 * meanwhile.
 */
const IDLE_IN_TRANSACTION_MS = 3_000;

/**
 * Milliseconds for the answer to a statement. PostgreSQL ends a long one before that, unless it hangs, or the network
 * drops everything.
 */
const QUERY_TIMEOUT_MS = 4_250;

// 64-bit integers as numbers: ids, times and counts all stay far below 2^53.
pg.types.setTypeParser(pg.types.builtins.INT8, Number);

/**
 * Cost of a page read by an index, relative to one of a scan. PostgreSQL's default of 4 is that of a
 * spinning disk: in a table of a few thousand rows it scans for a handful of keys.
 */
const RANDOM_PAGE_COST = 1.1;

/**
 * The settings of a session, or of a transaction where a pooler keeps no sessions. They are set after connecting:
 * PgBouncer refuses them as startup parameters. What the database's URL itself sets takes precedence.
 */
function settingsOf(url: string, scope: 'session' | 'local', hasNoTimeouts = false): string {
	return Object.entries({
		random_page_cost: RANDOM_PAGE_COST,
		statement_timeout: hasNoTimeouts ? 0 : STATEMENT_TIMEOUT_MS,
		idle_in_transaction_session_timeout: hasNoTimeouts ? 0 : IDLE_IN_TRANSACTION_MS,
	})
		.filter(([name]) => !url.includes(name))
		.map(([name, value]) => `set ${scope} ${name} = ${value}; `)
		.join('');
}

const common: pg.PoolConfig = {
	application_name: 'beckon-server',
	keepAlive: true,
	connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
};

/** A connection outside the pool, for listening or for locks held for long. */
export function createClient(url: string, timeouts: pg.ClientConfig = {}): pg.Client {
	const client = new pg.Client({ ...common, connectionString: url, ...timeouts });
	// Connection errors reach the query waiting on it, or its end listener.
	client.on('error', () => undefined);
	return client;
}

interface PoolOptions {
	size: number;
	/** For work that may take long, such as a migration. */
	hasNoTimeouts?: boolean;
	/** False: a pooler may run each transaction, and each statement outside of one, in another session. */
	hasSessions?: boolean;
}

export function kyselyOn(url: string, options: PoolOptions): Db {
	const { size, hasNoTimeouts = false, hasSessions = true } = options;
	const pool = new pg.Pool({
		...common,
		connectionString: url,
		max: size,
		...(hasSessions && {
			// The pool awaits the result, although its type does not say so.
			onConnect: (client): unknown => client.query(settingsOf(url, 'session', hasNoTimeouts)),
		}),
		...(!hasNoTimeouts && { query_timeout: QUERY_TIMEOUT_MS }),
	});
	const ofTransaction = hasSessions ? undefined : settingsOf(url, 'local');
	pool.on('connect', (client) => client.on('error', () => undefined));
	// A broken idle connection leaves the pool; the next query makes a new one.
	pool.on('error', () => undefined);
	return new Kysely<Tables>({
		dialect: new PostgresDialect({ pool: new GuardedPool(pool, ofTransaction) }),
		// PostgreSQL, unlike SQLite, refuses `in ()`.
		plugins: [new HandleEmptyInListsPlugin({ strategy: replaceWithNoncontingentExpression })],
	});
}

/**
 * Reports an unreachable PostgreSQL as StoreUnavailableError, and drops broken connections. A statement without an
 * answer means that PostgreSQL or the network hangs. Queries waiting for a connection are then rejected: they would
 * wait as long again. Older connections are not reused, since each may be dead without any sign.
 */
class GuardedPool implements PostgresPool {
	readonly options: object;
	readonly #pool: pg.Pool;
	readonly #ofTransaction: string | undefined;
	/** The number of hangs when a connection was first used. */
	readonly #madeAfter = new WeakMap<pg.PoolClient, number>();
	readonly #waiting = new Set<(error: StoreUnavailableError) => void>();
	#hangs = 0;

	/** @param ofTransaction begins each transaction, if sessions are not kept */
	constructor(pool: pg.Pool, ofTransaction: string | undefined) {
		this.#pool = pool;
		this.#ofTransaction = ofTransaction;
		this.options = pool.options;
	}

	async connect(): Promise<PostgresPoolClient> {
		const begun = performance.now();
		for (;;) {
			const client = await this.#connect();
			if ((this.#madeAfter.get(client) ?? this.#hangs) === this.#hangs) {
				this.#madeAfter.set(client, this.#hangs);
				CONNECTION_WAITS.publish(performance.now() - begun);
				return new GuardedClient(client, () => this.#hang(), this.#ofTransaction);
			}
			client.release(true);
		}
	}

	async #connect(): Promise<pg.PoolClient> {
		const connecting = this.#pool.connect();
		let giveUp: (error: StoreUnavailableError) => void = () => undefined;
		const hang = new Promise<never>((_resolve, reject) => (giveUp = reject));
		this.#waiting.add(giveUp);
		try {
			return await Promise.race([connecting, hang]);
		} catch (error) {
			// Release a connection that arrives too late.
			const release = (client: pg.PoolClient) => client.release(true);
			connecting.then(release, () => undefined);
			throw translated(error);
		} finally {
			this.#waiting.delete(giveUp);
		}
	}

	#hang(): void {
		this.#hangs += 1;
		for (const giveUp of this.#waiting)
			giveUp(new StoreUnavailableError('The database does not answer'));
	}

	end(): Promise<void> {
		return this.#pool.end();
	}
}

/** What pg reports when an answer does not come within `query_timeout`. */
const NO_RESPONSE = 'Query read timeout';

class GuardedClient implements PostgresPoolClient {
	readonly #client: pg.PoolClient;
	readonly #onHang: () => void;
	readonly #ofTransaction: string | undefined;
	#isBroken = false;
	/** A connection takes one query at a time. */
	#last: Promise<unknown> = Promise.resolve();

	constructor(client: pg.PoolClient, onHang: () => void, ofTransaction: string | undefined) {
		this.#client = client;
		this.#onHang = onHang;
		this.#ofTransaction = ofTransaction;
	}

	/** @returns the result of the last of several statements */
	query<R>(text: string, values: readonly unknown[]): Promise<PostgresQueryResult<R>>;
	query<R>(cursor: PostgresCursor<R>): PostgresCursor<R>;
	query<R>(
		text: string | PostgresCursor<R>,
		values: readonly unknown[] = [],
	): Promise<PostgresQueryResult<R>> | PostgresCursor<R> {
		if (typeof text !== 'string') throw new Error('Cursors are not supported');
		const result = this.#last.then(() => this.#query<R>(text, values));
		this.#last = result.catch(() => undefined);
		return result;
	}

	async #query<R>(text: string, values: readonly unknown[]): Promise<PostgresQueryResult<R>> {
		if (this.#isBroken) throw new StoreUnavailableError('The connection is broken');
		try {
			const settings = this.#ofTransaction;
			const result: unknown = await this.#client.query({
				text: settings === undefined ? text : text.replace(/^begin;/, `$& ${settings}`),
				values: toParameters(values),
				...(settings === undefined && nameStatement(text)),
			});
			return (Array.isArray(result) ? result.at(-1) : result) as PostgresQueryResult<R>;
		} catch (error) {
			this.#isBroken ||= isConnectionLost(error);
			if (error instanceof Error && error.message === NO_RESPONSE) this.#onHang();
			throw translated(withStatement(error, text));
		}
	}

	release(): void {
		this.#client.release(this.#isBroken);
	}
}

const names = new BoundedMap<string, string>(1_000);

/**
 * PostgreSQL plans a named statement once per connection. A statement with `*` stays unnamed: it would
 * fail after a server of a newer version has added a column.
 */
function nameStatement(text: string): { name?: string } {
	if (!text.startsWith(STATEMENT) || text.includes('*')) return {};
	return { name: names.getOr(text, () => `beckon_${hash('sha1', text)}`) };
}

/** The SQLSTATE of an error reported by PostgreSQL itself; all other errors concern the connection. */
function readSqlState(error: unknown): string | undefined {
	return error instanceof pg.DatabaseError ? error.code : undefined;
}

/** The session is over: the server is shutting down, has crashed, or has ended it. */
const SESSION_OVER = /^(08|57P)|^25P03$/;

/** Connections, memory or disk are exhausted, a timeout passed, or the server is read-only at the moment. */
const TEMPORARY = /^(53|58)|^(57014|55P03|25006)$/;

/** True if the connection can no longer be used. */
export function isConnectionLost(error: unknown): boolean {
	const code = readSqlState(error);
	return code === undefined || SESSION_OVER.test(code);
}

/**
 * True if another transaction interfered: this one was chosen to end a deadlock (40P01), could not be
 * serialized (40001), or both stored the same unique value (23505), which is visible in the next run.
 */
export function isCollision(error: unknown): boolean {
	return ['40P01', '40001', '23505'].includes(readSqlState(error) ?? '');
}

/** Converts an error to StoreUnavailableError if it means that the store is unavailable. */
function translated(error: unknown): unknown {
	if (error instanceof StoreUnavailableError) return error;
	if (!isConnectionLost(error) && !TEMPORARY.test(readSqlState(error) ?? '')) return error;
	return new StoreUnavailableError(error instanceof Error ? error.message : String(error), {
		cause: error,
	});
}
