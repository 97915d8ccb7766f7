import { type Kysely, PostgresAdapter, sql } from 'kysely';

/** For the few places where the engines need different SQL. */
export function isPostgres<T>(db: Kysely<T>): boolean {
	return db.getExecutor().adapter instanceof PostgresAdapter;
}

/**
 * The state of deliveries in the outbox, written into the text of a query: SQLite uses an index of pending
 * deliveries only if it sees that the query asks for nothing else.
 */
export const PENDING = sql.lit<'pending'>('pending');
