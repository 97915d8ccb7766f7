import { sql } from 'kysely';
import type { Migrated, StoreOptions } from '../database.ts';
import { errorCode, StoreUnavailableError, StoreUnusableError } from '../errors.ts';
import { migrations, STEPS_OF_FIRST } from '../migrations/index.ts';
import type { Db } from '../schema.ts';
import { isPostgres } from './statement.ts';

/** Kysely's own migrator uses the same name. */
const MIGRATION_TABLE = sql.table('kysely_migration');

/** PostgreSQL's `undefined_table`. */
const UNDEFINED_TABLE = '42P01';

const engineOf = (db: Db) => (isPostgres(db) ? 'postgres' : 'sqlite');

function isMissingTable(error: unknown): boolean {
	// SQLite reports this only by its message, without a specific code.
	return errorCode(error) === UNDEFINED_TABLE || String(error).includes('no such table');
}

/** Names of the migrations applied to this database, in order; none if it holds no store yet. */
async function appliedMigrations(db: Db): Promise<string[]> {
	try {
		const { rows } = await sql<{ name: string }>`select name from ${MIGRATION_TABLE}`.execute(db);
		const names = rows.map((row) => row.name).sort();
		if (!STEPS_OF_FIRST.every((step) => names.includes(step))) return names;
		const later = names.filter((name) => !STEPS_OF_FIRST.includes(name));
		return [...Object.keys(migrations).slice(0, 1), ...later];
	} catch (error) {
		// Checking for the table first is no safer, and Kysely's introspection reads every column of every table.
		if (isMissingTable(error)) return [];
		throw error;
	}
}

/** @throws StoreUnusableError when a newer program has migrated the store further, or its schema is unknown */
function requireKnown(applied: readonly string[], known: readonly string[]): void {
	const unknown = applied.filter((name, place) => name !== known[place]).join(', ');
	if (unknown === '') return;
	throw new StoreUnusableError(
		known.every((name) => applied.includes(name))
			? `The data was written by a newer version of Beckon (it has ${unknown}). Start that version, or a newer one; nothing was changed.`
			: `The data has a schema that this version of Beckon does not know (it has ${unknown}): start the version that wrote it, or choose another data folder or database to start over; nothing was changed.`,
	);
}

/**
 * Runs the migrations that the database lacks. Kysely's own migrator does so without a transaction on SQLite.
 * @param db a transaction: all are applied, or none
 */
export async function runMigrations(db: Db): Promise<void> {
	await sql`
		create table if not exists ${MIGRATION_TABLE} (
			name varchar(255) not null primary key, timestamp varchar(255) not null
		)`.execute(db);
	// Read again: another process may have created the store meanwhile.
	const applied = await appliedMigrations(db);
	for (const [name, statements] of Object.entries(migrations)) {
		if (applied.includes(name)) continue;
		for (const statement of statements(engineOf(db))) await sql.raw(statement).execute(db);
		const now = new Date().toISOString();
		await sql`insert into ${MIGRATION_TABLE} values (${name}, ${now})`.execute(db);
	}
}

interface Place extends Pick<StoreOptions, 'olderStore'> {
	/** Error message for a database without a store; undefined: create the store. */
	missing: string | undefined;
	/** What to do with an older store, for the error message. */
	advice: string;
	/** Runs a job in a transaction. */
	write: (job: (db: Db) => Promise<void>) => Promise<void>;
	/**
	 * Does what an older store needs around its migration.
	 * @param from the newest migration that it has
	 * @returns the file with a copy of the store as it was, if one was made
	 */
	around: (from: string, migrate: () => Promise<void>) => Promise<string | undefined>;
}

/**
 * Brings the database to this program's newest migration, as far as its options allow.
 * @returns what was migrated; undefined if the store is new, or was up to date
 * @throws StoreUnusableError when its schema is another and may not be migrated, or the migration fails
 */
export async function prepareSchema(db: Db, place: Place): Promise<Migrated | undefined> {
	const { missing, olderStore, advice, write, around } = place;
	try {
		const applied = await appliedMigrations(db);
		const known = Object.keys(migrations);
		requireKnown(applied, known);
		const pending = Object.entries(migrations).slice(applied.length);
		const [from, to = ''] = [applied.at(-1), known.at(-1)];
		// Commands must work on a store that accepts no writes.
		if (pending.length === 0) return undefined;
		if (from === undefined) {
			if (missing !== undefined) throw new StoreUnusableError(missing);
			await write(runMigrations);
			return undefined;
		}
		if (olderStore === undefined) {
			const lacks = pending.map(([name]) => name).join(', ');
			throw new StoreUnusableError(
				`The data was written by an older version of Beckon (it lacks ${lacks}): ${advice}; nothing was changed.`,
			);
		}
		if (olderStore === 'plan')
			return {
				from,
				to,
				statements: pending.flatMap(([, statements]) => statements(engineOf(db))),
			};
		return { from, to, copy: await around(from, () => write(runMigrations)) };
	} catch (error) {
		if (error instanceof StoreUnusableError || errorCode(error) === 'SQLITE_CORRUPT') throw error;
		const { message } = error as Error;
		const isUncertain = error instanceof StoreUnavailableError && error.isUncertain;
		const result = isUncertain ? '' : '; nothing was changed';
		throw new StoreUnusableError(`Cannot prepare the database: ${message}${result}`, {
			cause: error,
		});
	}
}
