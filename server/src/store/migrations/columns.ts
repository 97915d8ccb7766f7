import { type ColumnDefinitionBuilder, type Kysely, sql } from 'kysely';
import { isPostgres } from '../engine/dialect.ts';

type Column = (column: ColumnDefinitionBuilder) => ColumnDefinitionBuilder;

/** Milliseconds since 1970, too large for PostgreSQL's `integer`. */
export const TIME = 'bigint';

export const required: Column = (column) => column.notNull();

export const key: Column = (column) => column.primaryKey();

/** @param column the referenced column, such as `accounts.id`; deleting its row deletes this one */
export function partOf(column: string): Column {
	return (c) => c.notNull().references(column).onDelete('cascade');
}

export const ofAccount = partOf('accounts.id');

/**
 * A number that increases from row to row and is never reused, because a device drops ids it has seen:
 * AUTOINCREMENT on SQLite, an identity column on PostgreSQL.
 */
export function growingId(db: Kysely<unknown>): {
	/** Also of a column that references one. */
	type: 'integer' | 'bigint';
	column: Column;
} {
	return isPostgres(db)
		? { type: 'bigint', column: (c) => c.primaryKey().generatedByDefaultAsIdentity() }
		: { type: 'integer', column: (c) => c.primaryKey().autoIncrement() };
}

/** @param indexes as SQL has them after `create index`: the name, the table, its columns and the condition */
export async function createIndexes(
	db: Kysely<unknown>,
	indexes: readonly string[],
): Promise<void> {
	for (const index of indexes) await sql.raw(`create index ${index}`).execute(db);
}
