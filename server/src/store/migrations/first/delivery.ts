import { type Kysely, sql } from 'kysely';
import { growingId, key, ofAccount, partOf, required, TIME } from '../columns.ts';

/** The outbox: messages, their deliveries to devices, and updates waiting for an activity's token. */
export async function createDelivery(db: Kysely<unknown>): Promise<void> {
	const id = growingId(db);
	await db.schema
		.createTable('messages')
		.addColumn('id', id.type, id.column)
		// The account's rows go with its history: checking another reference costs PostgreSQL a lock per row.
		.addColumn('account_id', 'text', required)
		.addColumn('history_id', 'text', partOf('history.id'))
		.addColumn('kind', 'text', required)
		.addColumn('content_json', 'text', required)
		.addColumn('actions_json', 'text')
		.addColumn('lane', 'text')
		.addColumn('created_at', TIME, required)
		.execute();
	await db.schema.createIndex('messages_by_history').on('messages').column('history_id').execute();

	await db.schema
		.createTable('deliveries')
		.addColumn('id', id.type, id.column)
		.addColumn('message_id', id.reference, partOf('messages.id'))
		.addColumn('device_id', 'text', partOf('devices.id'))
		.addColumn('lane', 'text')
		.addColumn('replaceable', 'integer', (c) => c.notNull().defaultTo(0))
		.addColumn('muted', 'integer', (c) => c.notNull().defaultTo(0))
		.addColumn('held', 'integer', (c) => c.notNull().defaultTo(0))
		.addColumn('push_delivery_id', id.reference)
		.addColumn('state', 'text', required)
		.addColumn('attempts', 'integer', (c) => c.notNull().defaultTo(0))
		.addColumn('next_attempt_at', TIME, required)
		.addColumn('leased_until', TIME)
		.addColumn('last_error', 'text')
		.addColumn('handed_over_at', TIME)
		.addColumn('acknowledged_at', TIME)
		.addColumn('dismissed_at', TIME)
		.execute();
	await db.schema
		.createIndex('deliveries_of_message')
		.on('deliveries')
		// The device: one message may have deliveries to ten thousand.
		.columns(['message_id', 'device_id'])
		.execute();
	await db.schema
		.createIndex('deliveries_due')
		.on('deliveries')
		.column('next_attempt_at')
		.where(sql<boolean>`state = 'pending'`)
		.execute();
	await db.schema
		.createIndex('deliveries_in_lane')
		.on('deliveries')
		.columns(['device_id', 'lane', 'id'])
		.where(sql<boolean>`state = 'pending' and lane is not null`)
		.execute();
	// Pushes on the lock screen, and all else: a delivery is in one of the two, so storing it changes one page of
	// its phone. The pages are most of what a push to 10,000 phones writes.
	await sql`
		create index deliveries_shown on deliveries (device_id, id)
		where lane is null and dismissed_at is null and muted = 0`.execute(db);
	await sql`
		create index deliveries_not_shown on deliveries (device_id, id)
		where lane is not null or dismissed_at is not null or muted <> 0`.execute(db);

	await db.schema
		.createTable('activity_devices')
		.addColumn('activity_id', 'text', partOf('activities.id'))
		.addColumn('device_id', 'text', partOf('devices.id'))
		.addColumn('token', 'text')
		.addColumn('queued_message_id', id.reference, (c) =>
			c.references('messages.id').onDelete('set null'),
		)
		.addColumn('dismissed_at', TIME)
		.addPrimaryKeyConstraint('activity_devices_pk', ['activity_id', 'device_id'])
		.execute();
	await db.schema
		.createIndex('activity_devices_by_device')
		.on('activity_devices')
		.column('device_id')
		.execute();
	// Deleting a message looks up the updates queued with it.
	await sql`
		create index activity_devices_queued on activity_devices (queued_message_id)
		where queued_message_id is not null`.execute(db);

	await db.schema
		.createTable('widget_reloads')
		.addColumn('device_id', 'text', (c) =>
			c.primaryKey().references('devices.id').onDelete('cascade'),
		)
		.addColumn('account_id', 'text', ofAccount)
		.addColumn('token', 'text', required)
		.addColumn('changed', 'integer', (c) => c.notNull().defaultTo(0))
		.addColumn('next_attempt_at', TIME, (c) => c.notNull().defaultTo(0))
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
		.createTable('quiet_summaries')
		.addColumn('device_id', 'text', (c) =>
			c.primaryKey().references('devices.id').onDelete('cascade'),
		)
		.addColumn('account_id', 'text', ofAccount)
		.addColumn('first_delivery_id', id.reference, required)
		.addColumn('due_at', TIME, required)
		.execute();
	await db.schema
		.createIndex('quiet_summaries_due')
		.on('quiet_summaries')
		.column('due_at')
		.execute();
	await db.schema
		.createIndex('quiet_summaries_by_account')
		.on('quiet_summaries')
		.column('account_id')
		.execute();

	await db.schema
		.createTable('repeats')
		.addColumn('id', 'text', key)
		.addColumn('account_id', 'text', ofAccount)
		.addColumn('message_id', id.reference, partOf('messages.id'))
		.addColumn('every_ms', 'integer', required)
		.addColumn('times_left', 'integer', required)
		.addColumn('next_at', TIME, required)
		.addColumn('ended_at', TIME)
		.addColumn('end_reason', 'text')
		.execute();
	await db.schema.createIndex('repeats_by_message').on('repeats').column('message_id').execute();
	await db.schema.createIndex('repeats_by_account').on('repeats').column('account_id').execute();
	await db.schema
		.createIndex('repeats_due')
		.on('repeats')
		.column('next_at')
		.where(sql<boolean>`ended_at is null`)
		.execute();

	await db.schema
		.createTable('server_keys')
		.addColumn('name', 'text', key)
		.addColumn('value_json', 'text', required)
		.execute();

	// The readiness check changes its row: a write without a change may need no room.
	await db.schema
		.createTable('readiness')
		.addColumn('id', 'integer', key)
		.addColumn('content', 'text', required)
		.execute();
}
