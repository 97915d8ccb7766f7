import type { Kysely } from 'kysely';
import { isPostgres } from '../engine/dialect.ts';
import { runSqlFiles } from './sql-files.ts';

/** The whole schema of the first release. */
export async function up(db: Kysely<unknown>): Promise<void> {
	const files = isPostgres(db)
		? ['0001-first.postgres.sql', '0001-rate-windows.postgres.sql']
		: ['0001-first.sqlite.sql'];
	await runSqlFiles(db, files);
}
