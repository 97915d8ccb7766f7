import type { Kysely } from 'kysely';
import { isPostgres } from '../engine/dialect.ts';
import { runSqlFiles } from './sql-files.ts';

/** The table of the browsers that members are signed in with. */
export async function up(db: Kysely<unknown>): Promise<void> {
	await runSqlFiles(db, [`0007-session-clients.${isPostgres(db) ? 'postgres' : 'sqlite'}.sql`]);
}
