import type { Kysely } from 'kysely';
import { createIndexes, growingId, key, ofAccount, partOf, required, TIME } from '../columns.ts';

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

	await db.schema
		.createTable('deliveries')
		.addColumn('id', id.type, id.column)
		.addColumn('message_id', id.type, partOf('messages.id'))
		.addColumn('device_id', 'text', partOf('devices.id'))
		.addColumn('lane', 'text')
		.addColumn('replaceable', 'integer', (c) => c.notNull().defaultTo(0))
		.addColumn('muted', 'integer', (c) => c.notNull().defaultTo(0))
		.addColumn('held', 'integer', (c) => c.notNull().defaultTo(0))
		.addColumn('push_delivery_id', id.type)
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
		.createTable('activity_devices')
		.addColumn('activity_id', 'text', partOf('activities.id'))
		.addColumn('device_id', 'text', partOf('devices.id'))
		.addColumn('token', 'text')
		.addColumn('queued_message_id', id.type, (c) =>
			c.references('messages.id').onDelete('set null'),
		)
		.addColumn('dismissed_at', TIME)
		.addPrimaryKeyConstraint('activity_devices_pk', ['activity_id', 'device_id'])
		.execute();

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
		.createTable('quiet_summaries')
		.addColumn('device_id', 'text', (c) =>
			c.primaryKey().references('devices.id').onDelete('cascade'),
		)
		.addColumn('account_id', 'text', ofAccount)
		.addColumn('first_delivery_id', id.type, required)
		.addColumn('due_at', TIME, required)
		.execute();

	await db.schema
		.createTable('repeats')
		.addColumn('id', 'text', key)
		.addColumn('account_id', 'text', ofAccount)
		.addColumn('message_id', id.type, partOf('messages.id'))
		.addColumn('every_ms', 'integer', required)
		.addColumn('times_left', 'integer', required)
		.addColumn('next_at', TIME, required)
		.addColumn('ended_at', TIME)
		.addColumn('end_reason', 'text')
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

	await createIndexes(db, [
		'messages_by_history on messages (history_id)',
		// The device: one message may have deliveries to ten thousand.
		'deliveries_of_message on deliveries (message_id, device_id)',
		"deliveries_due on deliveries (next_attempt_at) where state = 'pending'",
		"deliveries_in_lane on deliveries (device_id, lane, id) where state = 'pending' and lane is not null",
		// Pushes on the lock screen, and all else: a delivery is in one of the two, so storing it changes one page of
		// its phone. The pages are most of what a push to 10,000 phones writes.
		'deliveries_shown on deliveries (device_id, id) where lane is null and dismissed_at is null and muted = 0',
		'deliveries_not_shown on deliveries (device_id, id) where lane is not null or dismissed_at is not null or muted <> 0',
		'activity_devices_by_device on activity_devices (device_id)',
		// Deleting a message looks up the updates queued with it.
		'activity_devices_queued on activity_devices (queued_message_id) where queued_message_id is not null',
		'widget_reloads_by_account on widget_reloads (account_id)',
		'widget_reloads_due on widget_reloads (next_attempt_at) where changed > 0',
		'quiet_summaries_due on quiet_summaries (due_at)',
		'quiet_summaries_by_account on quiet_summaries (account_id)',
		'repeats_by_message on repeats (message_id)',
		'repeats_by_account on repeats (account_id)',
		'repeats_due on repeats (next_at) where ended_at is null',
	]);
}
