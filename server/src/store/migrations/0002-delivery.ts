import { type Kysely, sql } from 'kysely';

/** What delivery to real gateways needs: more tokens, leases, order, and the server's own keys. */
export async function up(db: Kysely<unknown>): Promise<void> {
	await db.schema
		.alterTable('devices')
		.addColumn('push_environment', 'text', (c) => c.notNull().defaultTo('production'))
		.execute();
	await db.schema.alterTable('devices').addColumn('push_subscription_json', 'text').execute();

	await db.schema.alterTable('messages').addColumn('lane', 'text').execute();
	await db.schema.alterTable('deliveries').addColumn('lane', 'text').execute();
	await db.schema
		.alterTable('deliveries')
		.addColumn('replaceable', 'integer', (c) => c.notNull().defaultTo(0))
		.execute();
	await db.schema.alterTable('deliveries').addColumn('leased_until', 'bigint').execute();
	await db.schema
		.createIndex('deliveries_in_lane')
		.on('deliveries')
		.columns(['device_id', 'lane', 'id'])
		.where(sql<boolean>`state = 'pending' and lane is not null`)
		.execute();

	await db.schema
		.createTable('widget_reloads')
		.addColumn('device_id', 'text', (c) =>
			c.primaryKey().references('devices.id').onDelete('cascade'),
		)
		.addColumn('account_id', 'text', (c) =>
			c.notNull().references('accounts.id').onDelete('cascade'),
		)
		.addColumn('token', 'text', (c) => c.notNull())
		.addColumn('changed', 'integer', (c) => c.notNull().defaultTo(0))
		.addColumn('next_attempt_at', 'bigint', (c) => c.notNull().defaultTo(0))
		.addColumn('attempts', 'integer', (c) => c.notNull().defaultTo(0))
		.execute();
	await db.schema
		.createIndex('widget_reloads_by_account')
		.on('widget_reloads')
		.column('account_id')
		.execute();
	await db.schema
		.createIndex('widget_reloads_due')
		.on('widget_reloads')
		.column('next_attempt_at')
		.where(sql<boolean>`changed > 0`)
		.execute();

	await db.schema
		.createTable('server_keys')
		.addColumn('name', 'text', (c) => c.primaryKey())
		.addColumn('value_json', 'text', (c) => c.notNull())
		.execute();
}
