import { type Kysely, type RawBuilder, PostgresAdapter, sql } from 'kysely';
import type { Db } from './schema.ts';

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

/** The entries of a JSON array, for a condition with `in`. */
export function entriesOf<T extends string | number>(
	db: Db,
	json: string,
	type: T extends string ? 'text' : 'bigint',
) {
	return db.selectFrom(listed<T>(db, json, type).as('entries')).select('value');
}
