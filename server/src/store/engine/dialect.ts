import { type Kysely, PostgresAdapter, type RawBuilder, sql, type SqlBool } from 'kysely';
import type { Db } from '../schema.ts';

/** For the few places where the two engines need different words. */
export function isPostgres<T>(db: Kysely<T>): boolean {
	return db.getExecutor().adapter instanceof PostgresAdapter;
}

/**
 * The state of what is in the outbox. It stands in the text of a query: SQLite takes an index of what
 * is pending only where it sees that nothing else is asked for.
 */
export const PENDING = sql.lit<'pending'>('pending');

/**
 * A table of the entries of a JSON array, in its one column `value`: with it a statement takes lists of
 * any length, and has the same text for all of them.
 */
export function listed<T extends string | number>(
	db: Db,
	json: string,
	type: T extends string ? 'text' : 'bigint',
): RawBuilder<{ value: T }> {
	return isPostgres(db)
		? sql`(select value::${sql.raw(type)} from jsonb_array_elements_text(${json}::jsonb) as value)`
		: sql`(select value from json_each(${json}))`;
}

/**
 * Whether a column is one of the entries of a JSON array. PostgreSQL gets an array: of a table of
 * entries it does not know how few they are, and goes through the whole of the other table.
 */
export function isAmong<T extends string | number>(
	db: Db,
	column: string,
	json: string,
	type: T extends string ? 'text' : 'bigint',
): RawBuilder<SqlBool> {
	const entries = sql`select value from ${listed<T>(db, json, type)} as entries`;
	return isPostgres(db)
		? sql`${sql.ref(column)} = any(array(${entries}))`
		: sql`${sql.ref(column)} in (${entries})`;
}
