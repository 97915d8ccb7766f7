import type { Kysely } from 'kysely';
import { isPostgres } from '../engine/dialect.ts';
import { runSqlFiles } from './sql-files.ts';

/** The table of the keys that clients give their pushes. */
export async function up(db: Kysely<unknown>): Promise<void> {
	await runSqlFiles(db, [`0002-idempotency-keys.${isPostgres(db) ? 'postgres' : 'sqlite'}.sql`]);
}
