import type { Kysely } from 'kysely';
import { isPostgres } from '../engine/dialect.ts';
import { runSqlFiles } from './sql-files.ts';

/** What the history and the phones say about failures, and which request an entry came from. */
export async function up(db: Kysely<unknown>): Promise<void> {
	await runSqlFiles(db, [`0003-outcomes.${isPostgres(db) ? 'postgres' : 'sqlite'}.sql`]);
}
