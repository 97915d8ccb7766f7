import type { Kysely } from 'kysely';

/** What the phone needs: channels that it does not want to be interrupted by. */
export async function up(db: Kysely<unknown>): Promise<void> {
	await db.schema
		.createTable('muted_channels')
		.addColumn('channel_id', 'text', (c) =>
			c.notNull().references('channels.id').onDelete('cascade'),
		)
		.addColumn('device_id', 'text', (c) => c.notNull().references('devices.id').onDelete('cascade'))
		.addPrimaryKeyConstraint('muted_channels_pk', ['channel_id', 'device_id'])
		.execute();
	await db.schema
		.createIndex('muted_channels_by_device')
		.on('muted_channels')
		.column('device_id')
		.execute();
	await db.schema
		.alterTable('deliveries')
		.addColumn('muted', 'integer', (c) => c.notNull().defaultTo(0))
		.execute();
}
