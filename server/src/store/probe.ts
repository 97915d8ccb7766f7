import { sql } from 'kysely';
import type { Database } from './database.ts';

/**
 * Reads, and writes a row as it is, which needs all that a real write needs: the lock, and room on
 * the disk. The row is that of the migrations' own lock, which every store has.
 * @throws whatever the store says when it cannot
 */
export async function probeStore(database: Database): Promise<void> {
	await sql`select 1`.execute(database.read);
	await database.write(null, (db) =>
		sql`update kysely_migration_lock set is_locked = is_locked`.execute(db),
	);
}
