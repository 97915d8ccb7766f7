import { sql } from 'kysely';
import { Migrator } from 'kysely/migration';
import { errorCode, StoreUnusableError } from '../errors.ts';
import { migrations } from '../migrations/index.ts';
import type { Db } from '../schema.ts';

const MIGRATION_TABLE = 'kysely_migration';

/** PostgreSQL's `undefined_table`. */
const UNDEFINED_TABLE = '42P01';

function isMissingTable(error: unknown): boolean {
	// SQLite reports this only by its message, without a specific code.
	return errorCode(error) === UNDEFINED_TABLE || String(error).includes('no such table');
}

/** Names of the migrations applied to this database; none if it holds no store yet. */
async function appliedMigrations(db: Db): Promise<string[]> {
	try {
		const { rows } = await sql<{
			name: string;
		}>`select name from ${sql.table(MIGRATION_TABLE)}`.execute(db);
		return rows.map((row) => row.name);
	} catch (error) {
		// Checking for the table first is no safer, and Kysely's introspection reads every column of every table.
		if (isMissingTable(error)) return [];
		throw error;
	}
}

/**
 * Brings the database to this program's newest migration.
 * @param missing error message for a database without a store; undefined: create the store
 * @throws StoreUnusableError when a newer program has migrated it further, or its schema is unknown
 */
export async function migrate(db: Db, missing?: string): Promise<void> {
	try {
		const applied = await appliedMigrations(db);
		if (applied.length === 0 && missing !== undefined) throw new StoreUnusableError(missing);
		const unknown = applied.filter((name) => !(name in migrations));
		const isComplete = Object.keys(migrations).every((name) => applied.includes(name));
		if (unknown.length > 0) {
			throw new StoreUnusableError(
				isComplete
					? `The data was written by a newer version of Beckon (it has ${unknown.join(', ')}). Start that version, or a newer one; nothing was changed.`
					: `The data has a schema that this version of Beckon does not know (it has ${unknown.join(', ')}): start the version that wrote it, or choose another data folder or database to start over; nothing was changed.`,
			);
		}
		// Migrator writes even when there is nothing to do; commands must work on a store that accepts no writes.
		if (isComplete) return;
		const migrator = new Migrator({
			db,
			provider: { getMigrations: () => Promise.resolve(migrations) },
		});
		const { error } = await migrator.migrateToLatest();
		if (error !== undefined) throw error instanceof Error ? error : new Error('A migration failed');
	} catch (error) {
		if (error instanceof StoreUnusableError) throw error;
		throw new StoreUnusableError(
			`Cannot prepare the database: ${error instanceof Error ? error.message : String(error)}`,
			{ cause: error },
		);
	}
}
