import type { Kysely } from 'kysely';
import { isPostgres } from '../engine/dialect.ts';
import { runSqlFiles } from './sql-files.ts';

/** The table of snoozed pushes. */
export async function up(db: Kysely<unknown>): Promise<void> {
	await runSqlFiles(db, [`0005-snooze.${isPostgres(db) ? 'postgres' : 'sqlite'}.sql`]);
}
