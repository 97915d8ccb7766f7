import type { Kysely } from 'kysely';
import { isPostgres } from '../engine/dialect.ts';
import { runSqlFiles } from './sql-files.ts';

/** The tables of triggers. */
export async function up(db: Kysely<unknown>): Promise<void> {
	await runSqlFiles(db, [`0010-triggers.${isPostgres(db) ? 'postgres' : 'sqlite'}.sql`]);
}
