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
import { BoundedMap } from '../../../bounded-map.ts';
import { STATEMENT, withStatement } from '../statement.ts';
import { StoreUnavailableError } from '../../errors.ts';
import type { Db, Tables } from '../../schema.ts';
import { CONNECTION_WAITS } from '../../measured.ts';
import { isConnectionLost, translated } from './errors.ts';
import { Presence } from './presence.ts';

/** Milliseconds a query waits for a free or new connection. */
const CONNECT_TIMEOUT_MS = 5_000;

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

/** Applies while the pool closes, when Presence no longer watches it. */
const QUERY_TIMEOUT_MS = 5_000;

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
function settingsOf(url: string, scope: 'session' | 'local', isPatient = false): string {
	return Object.entries({
		random_page_cost: RANDOM_PAGE_COST,
		statement_timeout: isPatient ? 0 : STATEMENT_TIMEOUT_MS,
		idle_in_transaction_session_timeout: isPatient ? 0 : IDLE_IN_TRANSACTION_MS,
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
	isPatient?: boolean;
	/** False: a pooler may run each transaction, and each statement outside of one, in another session. */
	hasSessions?: boolean;
}

export function kyselyOn(
	url: string,
	{ size, isPatient = false, hasSessions = true }: PoolOptions,
): Db {
	const pool = new pg.Pool({
		...common,
		connectionString: url,
		max: size,
		...(hasSessions && {
			// The pool awaits the result, although its type does not say so.
			onConnect: (client): unknown => client.query(settingsOf(url, 'session', isPatient)),
		}),
		...(!isPatient && { query_timeout: QUERY_TIMEOUT_MS }),
	});
	const ofTransaction = hasSessions ? undefined : settingsOf(url, 'local');
	const presence = new Presence((ms) =>
		createClient(url, { connectionTimeoutMillis: ms, query_timeout: ms }),
	);
	pool.on('connect', (client) => client.on('error', () => undefined));
	// A broken idle connection leaves the pool; the next query makes a new one.
	pool.on('error', () => undefined);
	return new Kysely<Tables>({
		dialect: new PostgresDialect({
			pool: new GuardedPool(pool, isPatient ? undefined : presence, ofTransaction),
		}),
		// PostgreSQL, unlike SQLite, refuses `in ()`.
		plugins: [new HandleEmptyInListsPlugin({ strategy: replaceWithNoncontingentExpression })],
	});
}

/** Reports an unreachable PostgreSQL as StoreUnavailableError, and drops broken connections. */
class GuardedPool implements PostgresPool {
	readonly options: object;
	readonly #pool: pg.Pool;
	readonly #presence: Presence | undefined;
	readonly #ofTransaction: string | undefined;
	/** The number of outages when a connection was first used. */
	readonly #madeAfter = new WeakMap<pg.PoolClient, number | undefined>();

	/**
	 * @param presence undefined: waits for every query
	 * @param ofTransaction begins each transaction, if sessions are not kept
	 */
	constructor(pool: pg.Pool, presence: Presence | undefined, ofTransaction: string | undefined) {
		this.#pool = pool;
		this.#presence = presence;
		this.#ofTransaction = ofTransaction;
		this.options = pool.options;
	}

	async connect(): Promise<PostgresPoolClient> {
		const begun = performance.now();
		for (;;) {
			const client = await this.#connect();
			const outages = this.#presence?.outages;
			if ((this.#madeAfter.get(client) ?? outages) === outages) {
				this.#madeAfter.set(client, outages);
				CONNECTION_WAITS.publish(performance.now() - begun);
				return new GuardedClient(client, this.#presence, this.#ofTransaction);
			}
			client.release(true);
		}
	}

	async #connect(): Promise<pg.PoolClient> {
		this.#presence?.require();
		const connecting = this.#pool.connect();
		try {
			return await during(this.#presence, connecting, false);
		} catch (error) {
			// Release a connection that arrives too late.
			connecting.then(
				(client) => client.release(true),
				() => undefined,
			);
			throw translated(error);
		}
	}

	end(): Promise<void> {
		this.#presence?.close();
		return this.#pool.end();
	}
}

function during<T>(
	presence: Presence | undefined,
	answer: Promise<T>,
	isQuery: boolean,
): Promise<T> {
	return presence ? presence.during(answer, isQuery) : answer;
}

class GuardedClient implements PostgresPoolClient {
	readonly #client: pg.PoolClient;
	readonly #presence: Presence | undefined;
	readonly #ofTransaction: string | undefined;
	#isBroken = false;
	/** A connection takes one query at a time. */
	#last: Promise<unknown> = Promise.resolve();

	constructor(
		client: pg.PoolClient,
		presence: Presence | undefined,
		ofTransaction: string | undefined,
	) {
		this.#client = client;
		this.#presence = presence;
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
			const answer = this.#client.query({
				text: settings === undefined ? text : text.replace(/^begin;/, `$& ${settings}`),
				values: values.map(storable),
				...(settings === undefined && nameStatement(text)),
			});
			const result: unknown = await during(this.#presence, answer, true);
			return (Array.isArray(result) ? result.at(-1) : result) as PostgresQueryResult<R>;
		} catch (error) {
			this.#isBroken ||= isConnectionLost(error);
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

/** Replaces U+0000, which PostgreSQL's text cannot hold; SQLite's can. */
function storable(value: unknown): unknown {
	if (Array.isArray(value)) return value.map(storable);
	return typeof value === 'string' && value.includes('\0')
		? value.replaceAll('\0', '\uFFFD')
		: value;
}
