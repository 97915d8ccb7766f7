import type { Kysely } from 'kysely';

/** A row that the readiness check changes: a write that changes nothing may need no room. */
export async function up(db: Kysely<unknown>): Promise<void> {
	await db.schema
		.createTable('readiness')
		.addColumn('id', 'integer', (c) => c.primaryKey())
		.addColumn('content', 'text', (c) => c.notNull())
		.execute();
}
