import { type Kysely, sql } from 'kysely';
import { DAY_MS } from '../../durations.ts';
import { isPostgres } from '../engine/dialect.ts';
import { runSqlFiles } from './sql-files.ts';

/** Moves the keys of pushes and their answers into the history, with shorter hashes. */
export async function up(db: Kysely<unknown>): Promise<void> {
	await runSqlFiles(db, [`0011-kept-answers.${isPostgres(db) ? 'postgres' : 'sqlite'}.sql`]);
	await sql`
		update history set
			idempotency_key = (kept.created_at / ${sql.lit(DAY_MS)}) || '.' || substr(kept.hash, 1, 22),
			kept_json = '["' || substr(kept.request_hash, 1, 22) || '",' || kept.answer_json || ']'
		from idempotency_keys as kept where kept.history_id = history.id`.execute(db);
	await sql`drop table idempotency_keys`.execute(db);
}
