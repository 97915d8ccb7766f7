import { type Kysely, sql } from 'kysely';

/**
 * `delivered` said too much: it is `received` where the phone acknowledged it, and else known only to be
 * `stored`.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
	await sql`
		update deliveries
		set state = case when acknowledged_at is not null then 'received' else 'stored' end,
			delivered_at = null
		where state = 'delivered'`.execute(db);
	await db.schema.alterTable('deliveries').renameColumn('delivered_at', 'handed_over_at').execute();
}
