import pg from 'pg';
import {
	HandleEmptyInListsPlugin,
	Kysely,
	PostgresDialect,
	replaceWithNoncontingentExpression,
} from 'kysely';
import type { PostgresCursor, PostgresPool, PostgresPoolClient, PostgresQueryResult } from 'kysely';
import { compiledTexts } from '../compiled-once.ts';
import { StoreUnavailableError } from '../../errors.ts';
import type { Db, Tables } from '../../schema.ts';
import { isConnectionLost, translated } from './errors.ts';
import { Presence } from './presence.ts';

/** How long a query waits for a free connection, or for one to be made. */
const CONNECT_TIMEOUT_MS = 5_000;

/** How long a statement may take, waiting for another process's write of the same account included. */
const STATEMENT_TIMEOUT_MS = 10_000;

/**
 * A process that stands still in the middle of a write holds up the other writes of its accounts so
 * long: less than others wait for a connection, or they would be refused meanwhile.
 */
const IDLE_IN_TRANSACTION_MS = 3_000;

/** When even the server's own timeouts are not heard of: the other end is gone without a word. */
const QUERY_TIMEOUT_MS = STATEMENT_TIMEOUT_MS + 5_000;

// 64-bit integers as numbers: ids, times and counts all stay far below 2^53.
pg.types.setTypeParser(pg.types.builtins.INT8, Number);

const common: pg.PoolConfig = {
	application_name: 'beckon-server',
	keepAlive: true,
	connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
};

/** A connection of its own, outside the pool: what listens, or holds a lock for long. */
export function clientOf(url: string, timeouts: pg.ClientConfig = {}): pg.Client {
	const client = new pg.Client({ ...common, connectionString: url, ...timeouts });
	// Errors of a connection reach the query that waits on it, or the listener for its end.
	client.on('error', () => undefined);
	return client;
}

/** @param isPatient for work that may take long, such as a migration */
export function kyselyOn(
	url: string,
	{ size, isPatient = false }: { size: number; isPatient?: boolean },
): Db {
	const pool = new pg.Pool({
		...common,
		connectionString: url,
		max: size,
		...(!isPatient && {
			statement_timeout: STATEMENT_TIMEOUT_MS,
			idle_in_transaction_session_timeout: IDLE_IN_TRANSACTION_MS,
			query_timeout: QUERY_TIMEOUT_MS,
		}),
	});
	const presence = new Presence((ms) =>
		clientOf(url, { connectionTimeoutMillis: ms, query_timeout: ms }),
	);
	pool.on('connect', (client) => client.on('error', () => undefined));
	// An idle connection that breaks leaves the pool; the next query makes a new one.
	pool.on('error', () => undefined);
	return new Kysely<Tables>({
		dialect: new PostgresDialect({ pool: new GuardedPool(pool, isPatient ? undefined : presence) }),
		// PostgreSQL, unlike SQLite, refuses `in ()`.
		plugins: [new HandleEmptyInListsPlugin({ strategy: replaceWithNoncontingentExpression })],
	});
}

/** Says in the store's words when PostgreSQL is not there, and drops broken connections. */
class GuardedPool implements PostgresPool {
	readonly options: object;
	readonly #pool: pg.Pool;
	readonly #presence: Presence | undefined;
	/** How many outages there had been when a connection was used first. */
	readonly #madeAfter = new WeakMap<pg.PoolClient, number | undefined>();

	/** @param presence undefined: whatever is asked is waited for */
	constructor(pool: pg.Pool, presence: Presence | undefined) {
		this.#pool = pool;
		this.#presence = presence;
		this.options = pool.options;
	}

	async connect(): Promise<PostgresPoolClient> {
		for (;;) {
			const client = await this.#connect();
			const outages = this.#presence?.outages;
			if ((this.#madeAfter.get(client) ?? outages) === outages) {
				this.#madeAfter.set(client, outages);
				return new GuardedClient(client, this.#presence);
			}
			client.release(true);
		}
	}

	async #connect(): Promise<pg.PoolClient> {
		this.#presence?.require();
		const connecting = this.#pool.connect();
		try {
			return await during(this.#presence, connecting);
		} catch (error) {
			// Nobody waits for it any more.
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

function during<T>(presence: Presence | undefined, answer: Promise<T>): Promise<T> {
	return presence ? presence.during(answer) : answer;
}

class GuardedClient implements PostgresPoolClient {
	readonly #client: pg.PoolClient;
	readonly #presence: Presence | undefined;
	#isBroken = false;
	/** A connection takes one query at a time. */
	#last: Promise<unknown> = Promise.resolve();

	constructor(client: pg.PoolClient, presence: Presence | undefined) {
		this.#client = client;
		this.#presence = presence;
	}

	/** @returns of several statements, the result of the last */
	query<R>(text: string, values: readonly unknown[]): Promise<PostgresQueryResult<R>>;
	query<R>(cursor: PostgresCursor<R>): PostgresCursor<R>;
	query<R>(
		text: string | PostgresCursor<R>,
		values: readonly unknown[] = [],
	): Promise<PostgresQueryResult<R>> | PostgresCursor<R> {
		if (typeof text !== 'string') throw new Error('Nothing is read through a cursor');
		const result = this.#last.then(() => this.#query<R>(text, values));
		this.#last = result.catch(() => undefined);
		return result;
	}

	async #query<R>(text: string, values: readonly unknown[]): Promise<PostgresQueryResult<R>> {
		if (this.#isBroken) throw new StoreUnavailableError('The connection is broken');
		try {
			const answer = this.#client.query({ text, values: values.map(storable), ...nameOf(text) });
			const result: unknown = await during(this.#presence, answer);
			return (Array.isArray(result) ? result.at(-1) : result) as PostgresQueryResult<R>;
		} catch (error) {
			this.#isBroken ||= isConnectionLost(error);
			throw translated(error);
		}
	}

	release(): void {
		this.#client.release(this.#isBroken);
	}
}

const names = new Map<string, string>();

/**
 * PostgreSQL plans a statement once for each connection, where it has a name. One that asks for `*` gets
 * none: it would fail once the server of a newer version has added a column.
 */
function nameOf(text: string): { name?: string } {
	if (!compiledTexts.has(text) || text.includes('*')) return {};
	const name = names.get(text) ?? `beckon_${names.size}`;
	names.set(text, name);
	return { name };
}

/** PostgreSQL's text has no U+0000; SQLite's has. */
function storable(value: unknown): unknown {
	if (Array.isArray(value)) return value.map(storable);
	return typeof value === 'string' && value.includes('\0')
		? value.replaceAll('\0', '\uFFFD')
		: value;
}
