import { sql } from 'kysely';
import { isPostgres } from '../engine/dialect.ts';
import type { Db } from '../schema.ts';

/** Ids are counted from here, in milliseconds, to keep them short. */
const EPOCH = Date.UTC(2026, 0, 1);

/**
 * Moves the next delivery's id up to the current time, in milliseconds since 2026. A phone drops ids it has
 * seen, and a restored backup does not know those assigned since it was created. They are below that time unless
 * a server constantly makes more than 1,000 deliveries a second.
 * @param now milliseconds since 1970
 */
export async function skipAssignedIds(db: Db, now: number): Promise<void> {
	const floor = now - EPOCH;
	if (isPostgres(db)) {
		// Another server that inserts meanwhile could move the sequence past the floor before it is set.
		await sql`lock table deliveries in exclusive mode`.execute(db);
		const sequence = sql`pg_get_serial_sequence('deliveries', 'id')::regclass`;
		await sql`
			select setval(${sequence}, ${floor})
			where coalesce(pg_sequence_last_value(${sequence}), 0) < ${floor}`.execute(db);
		return;
	}
	await sql`
		insert into sqlite_sequence (name, seq)
		select 'deliveries', 0 where not exists (select 1 from sqlite_sequence where name = 'deliveries')
	`.execute(db);
	await sql`
		update sqlite_sequence set seq = ${floor} where name = 'deliveries' and seq < ${floor}
	`.execute(db);
}
