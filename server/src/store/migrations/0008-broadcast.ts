import type { Kysely } from 'kysely';
import { isPostgres } from '../engine/dialect.ts';
import { runSqlFiles } from './sql-files.ts';

/** What iPhone apps can take, and the channels over which they get updates. */
export async function up(db: Kysely<unknown>): Promise<void> {
	await runSqlFiles(db, [`0008-broadcast.${isPostgres(db) ? 'postgres' : 'sqlite'}.sql`]);
}
