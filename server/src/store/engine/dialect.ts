import { type Kysely, PostgresAdapter, type RawBuilder, sql, type SqlBool } from 'kysely';
import type { Db } from '../schema.ts';

/** For the few places where the engines need different SQL. */
export function isPostgres<T>(db: Kysely<T>): boolean {
	return db.getExecutor().adapter instanceof PostgresAdapter;
}

/**
 * The state of deliveries in the outbox, written into the text of a query: SQLite uses an index of pending
 * deliveries only if it sees that the query asks for nothing else.
 */
export const PENDING = sql.lit<'pending'>('pending');

/**
 * Condition: a column is one of the entries of a JSON array. A statement can thus take lists of any length,
 * with the same text for all of them. PostgreSQL gets an array: of a table of entries it does not know how
 * few they are, and scans the whole of the other table.
 */
export function isAmong<T extends string | number>(
	db: Db,
	column: string,
	json: string,
	type: T extends string ? 'text' : 'bigint',
): RawBuilder<SqlBool> {
	return isPostgres(db)
		? sql`${sql.ref(column)} = any(array(
			select value::${sql.raw(type)} from jsonb_array_elements_text(${json}::jsonb) as value))`
		: sql`${sql.ref(column)} in (select value from json_each(${json}))`;
}
