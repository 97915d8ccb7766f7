import type { Kysely } from 'kysely';
import { isPostgres } from '../engine/dialect.ts';
import { runSqlFiles } from './sql-files.ts';

/** The table of the pushes that later ones replace. */
export async function up(db: Kysely<unknown>): Promise<void> {
	await runSqlFiles(db, [`0009-sequences.${isPostgres(db) ? 'postgres' : 'sqlite'}.sql`]);
}
