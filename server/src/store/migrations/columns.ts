import type { ColumnDefinitionBuilder, Kysely } from 'kysely';
import { isPostgres } from '../engine/dialect.ts';

/**
 * A number that grows from row to row and is never used twice, because a device drops an id that it
 * has seen: AUTOINCREMENT on SQLite, an identity column on PostgreSQL.
 */
export function growingId(db: Kysely<unknown>): {
	type: 'integer' | 'bigint';
	column: (c: ColumnDefinitionBuilder) => ColumnDefinitionBuilder;
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
