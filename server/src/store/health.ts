import { randomBytes, randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import type { Database } from './database.ts';
import { isPostgres } from './engine/dialect.ts';
import type { Db } from './schema.ts';

/**
 * Reads, and changes a row, which needs everything that a real write needs: the lock, and room on the disk.
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

/** Size of the store on disk, without the log of the latest writes. */
export async function storeBytes(db: Db): Promise<number> {
	const query = isPostgres(db)
		? sql<{ bytes: number }>`select pg_database_size(current_database()) as bytes`
		: sql<{ bytes: number }>`
			select page_count * page_size as bytes from pragma_page_count(), pragma_page_size()`;
	const { rows } = await query.execute(db);
	return Number(rows[0]?.bytes);
}
