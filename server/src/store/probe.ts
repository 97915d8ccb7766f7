import { randomBytes, randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import type { Database } from './database.ts';

/**
 * Reads, and changes a row, which takes everything a real write needs: the lock, and room on the disk.
 * @param room bytes to write; undefined: as few as possible
 * @throws the store's error when it cannot
 */
export async function probeStore(database: Database, room?: number): Promise<void> {
	const content = room === undefined ? randomUUID() : randomBytes(room / 2).toString('hex');
	await sql`select 1`.execute(database.read);
	await database.write(null, (db) =>
		sql`
			insert into readiness (id, content) values (1, ${content})
			on conflict (id) do update set content = excluded.content`.execute(db),
	);
}
