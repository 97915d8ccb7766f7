import type { Kysely } from 'kysely';
import { isPostgres } from '../engine/dialect.ts';
import { runSqlFiles } from './sql-files.ts';

/** The table of the keys whose pushes are Markdown. */
export async function up(db: Kysely<unknown>): Promise<void> {
	await runSqlFiles(db, [`0006-markdown.${isPostgres(db) ? 'postgres' : 'sqlite'}.sql`]);
}
