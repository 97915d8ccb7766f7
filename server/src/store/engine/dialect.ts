import { type Expression, type Kysely, PostgresAdapter, sql, type SqlBool } from 'kysely';

/** For the few places where the engines need different SQL. */
export function isPostgres<T>(db: Kysely<T>): boolean {
	return db.getExecutor().adapter instanceof PostgresAdapter;
}

/**
 * Whether a column has one of the values that a query selects. PostgreSQL gets them as an array, for which it uses the
 * column's index: `in` may become a join that reads the whole table, if the statistics are old or there are none.
 */
export function isSelected<T>(db: Kysely<T>, column: string, values: Expression<unknown>) {
	return isPostgres(db)
		? sql<SqlBool>`${sql.ref(column)} = any(array${values})`
		: sql<SqlBool>`${sql.ref(column)} in ${values}`;
}

/**
 * The state of deliveries in the outbox, written into the text of a query: SQLite uses an index of pending
 * deliveries only if it sees that the query asks for nothing else.
 */
export const PENDING = sql.lit<'pending'>('pending');
