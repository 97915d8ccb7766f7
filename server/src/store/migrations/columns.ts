import type { ColumnDefinitionBuilder, Kysely } from 'kysely';
import { isPostgres } from '../engine/dialect.ts';

type Column = (column: ColumnDefinitionBuilder) => ColumnDefinitionBuilder;

/** Milliseconds since 1970, which PostgreSQL's `integer` cannot hold. */
export const TIME = 'bigint';

export const required: Column = (column) => column.notNull();

export const key: Column = (column) => column.primaryKey();

/** @param column what it refers to, such as `accounts.id`; it is deleted together with that */
export function partOf(column: string): Column {
	return (c) => c.notNull().references(column).onDelete('cascade');
}

export const ofAccount = partOf('accounts.id');

/**
 * A number that grows from row to row and is never used twice, because a device drops an id that it
 * has seen: AUTOINCREMENT on SQLite, an identity column on PostgreSQL.
 */
export function growingId(db: Kysely<unknown>): {
	type: 'integer' | 'bigint';
	column: Column;
	/** The type of a column that refers to one. */
	reference: 'integer' | 'bigint';
} {
	return isPostgres(db)
		? {
				type: 'bigint',
				column: (c) => c.primaryKey().generatedByDefaultAsIdentity(),
				reference: 'bigint',
			}
		: {
				type: 'integer',
				column: (c) => c.primaryKey().autoIncrement(),
				reference: 'integer',
			};
}
