import type { Kysely } from 'kysely';

/** When a device last registered its push token: what Apple said of the token before counts no more. */
export async function up(db: Kysely<unknown>): Promise<void> {
	await db.schema.alterTable('devices').addColumn('push_registered_at', 'bigint').execute();
}
