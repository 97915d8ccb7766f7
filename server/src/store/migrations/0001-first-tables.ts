import { type Kysely, sql } from 'kysely';
import { growingId } from './columns.ts';

/** Integer column that PostgreSQL must not overflow in 2038: times are milliseconds. */
const TIME = 'bigint';

export async function up(db: Kysely<unknown>): Promise<void> {
	const id = growingId(db);
	await db.schema
		.createTable('accounts')
		.addColumn('id', 'text', (c) => c.primaryKey())
		.addColumn('name', 'text', (c) => c.notNull().unique())
		.addColumn('owner_email', 'text', (c) => c.notNull())
		.addColumn('plan', 'text', (c) => c.notNull())
		.addColumn('trial_started_at', TIME)
		.addColumn('trial_ends_at', TIME)
		.addColumn('quota', 'integer')
		.addColumn('overage_cap', 'integer')
		.addColumn('created_at', TIME, (c) => c.notNull())
		.execute();

	await db.schema
		.createTable('usage')
		.addColumn('account_id', 'text', (c) =>
			c.notNull().references('accounts.id').onDelete('cascade'),
		)
		.addColumn('period', 'text', (c) => c.notNull())
		.addColumn('sends', 'integer', (c) => c.notNull())
		.addPrimaryKeyConstraint('usage_pk', ['account_id', 'period'])
		.execute();

	await db.schema
		.createTable('users')
		.addColumn('id', 'text', (c) => c.primaryKey())
		.addColumn('account_id', 'text', (c) =>
			c.notNull().references('accounts.id').onDelete('cascade'),
		)
		.addColumn('name', 'text', (c) => c.notNull())
		.addColumn('email', 'text')
		.addColumn('created_at', TIME, (c) => c.notNull())
		.addUniqueConstraint('users_name', ['account_id', 'name'])
		.execute();

	await db.schema
		.createTable('devices')
		.addColumn('id', 'text', (c) => c.primaryKey())
		.addColumn('account_id', 'text', (c) =>
			c.notNull().references('accounts.id').onDelete('cascade'),
		)
		.addColumn('user_id', 'text', (c) => c.notNull().references('users.id').onDelete('cascade'))
		.addColumn('name', 'text', (c) => c.notNull())
		.addColumn('platform', 'text', (c) => c.notNull())
		.addColumn('token_hash', 'text', (c) => c.notNull().unique())
		.addColumn('status', 'text', (c) => c.notNull())
		.addColumn('push_token', 'text')
		.addColumn('push_to_start_token', 'text')
		.addColumn('badge', 'integer', (c) => c.notNull().defaultTo(0))
		.addColumn('paired_at', TIME, (c) => c.notNull())
		.addColumn('last_seen_at', TIME, (c) => c.notNull())
		.execute();
	await db.schema
		.createIndex('devices_by_account')
		.on('devices')
		.columns(['account_id', 'status'])
		.execute();
	await db.schema.createIndex('devices_by_user').on('devices').column('user_id').execute();

	await db.schema
		.createTable('pair_codes')
		.addColumn('code_hash', 'text', (c) => c.primaryKey())
		.addColumn('account_id', 'text', (c) =>
			c.notNull().references('accounts.id').onDelete('cascade'),
		)
		.addColumn('user_id', 'text', (c) => c.notNull().references('users.id').onDelete('cascade'))
		.addColumn('expires_at', TIME, (c) => c.notNull())
		.addColumn('created_at', TIME, (c) => c.notNull())
		.execute();

	await db.schema
		.createTable('channels')
		.addColumn('id', 'text', (c) => c.primaryKey())
		.addColumn('account_id', 'text', (c) =>
			c.notNull().references('accounts.id').onDelete('cascade'),
		)
		.addColumn('slug', 'text', (c) => c.notNull())
		.addColumn('name', 'text', (c) => c.notNull())
		.addColumn('created_at', TIME, (c) => c.notNull())
		.addUniqueConstraint('channels_slug', ['account_id', 'slug'])
		.execute();

	await db.schema
		.createTable('channel_users')
		.addColumn('channel_id', 'text', (c) =>
			c.notNull().references('channels.id').onDelete('cascade'),
		)
		.addColumn('user_id', 'text', (c) => c.notNull().references('users.id').onDelete('cascade'))
		.addPrimaryKeyConstraint('channel_users_pk', ['channel_id', 'user_id'])
		.execute();

	await db.schema
		.createTable('channel_devices')
		.addColumn('channel_id', 'text', (c) =>
			c.notNull().references('channels.id').onDelete('cascade'),
		)
		.addColumn('device_id', 'text', (c) => c.notNull().references('devices.id').onDelete('cascade'))
		.addPrimaryKeyConstraint('channel_devices_pk', ['channel_id', 'device_id'])
		.execute();

	await db.schema
		.createTable('api_keys')
		.addColumn('id', 'text', (c) => c.primaryKey())
		.addColumn('account_id', 'text', (c) =>
			c.notNull().references('accounts.id').onDelete('cascade'),
		)
		.addColumn('name', 'text', (c) => c.notNull())
		.addColumn('hash', 'text', (c) => c.notNull().unique())
		.addColumn('last_four', 'text', (c) => c.notNull())
		.addColumn('scope', 'text', (c) => c.notNull())
		.addColumn('created_at', TIME, (c) => c.notNull())
		.addColumn('last_used_at', TIME)
		.addColumn('revoked_at', TIME)
		.execute();
	await db.schema.createIndex('api_keys_by_account').on('api_keys').column('account_id').execute();

	await db.schema
		.createTable('api_key_channels')
		.addColumn('api_key_id', 'text', (c) =>
			c.notNull().references('api_keys.id').onDelete('cascade'),
		)
		.addColumn('channel_id', 'text', (c) =>
			c.notNull().references('channels.id').onDelete('cascade'),
		)
		.addPrimaryKeyConstraint('api_key_channels_pk', ['api_key_id', 'channel_id'])
		.execute();

	await db.schema
		.createTable('history')
		.addColumn('id', 'text', (c) => c.primaryKey())
		.addColumn('account_id', 'text', (c) =>
			c.notNull().references('accounts.id').onDelete('cascade'),
		)
		.addColumn('api_key_id', 'text', (c) => c.references('api_keys.id').onDelete('set null'))
		.addColumn('kind', 'text', (c) => c.notNull())
		.addColumn('title', 'text', (c) => c.notNull())
		.addColumn('channels_json', 'text')
		.addColumn('tags_json', 'text')
		.addColumn('metadata_json', 'text')
		.addColumn('created_at', TIME, (c) => c.notNull())
		.addColumn('ended_at', TIME)
		.execute();
	await db.schema
		.createIndex('history_by_time')
		.on('history')
		.columns(['account_id', 'created_at'])
		.execute();

	await db.schema
		.createTable('history_tags')
		.addColumn('history_id', 'text', (c) =>
			c.notNull().references('history.id').onDelete('cascade'),
		)
		.addColumn('tag', 'text', (c) => c.notNull())
		.addPrimaryKeyConstraint('history_tags_pk', ['tag', 'history_id'])
		.execute();
	await db.schema
		.createIndex('history_tags_by_entry')
		.on('history_tags')
		.column('history_id')
		.execute();

	await db.schema
		.createTable('activities')
		.addColumn('id', 'text', (c) => c.primaryKey().references('history.id').onDelete('cascade'))
		.addColumn('account_id', 'text', (c) =>
			c.notNull().references('accounts.id').onDelete('cascade'),
		)
		.addColumn('stream_key', 'text')
		.addColumn('state_json', 'text', (c) => c.notNull())
		.addColumn('actions_json', 'text', (c) => c.notNull())
		.addColumn('channels_json', 'text')
		.addColumn('started_at', TIME, (c) => c.notNull())
		.addColumn('updated_at', TIME, (c) => c.notNull())
		.addColumn('ended_at', TIME)
		.addColumn('end_reason', 'text')
		.addColumn('dismiss_at', TIME)
		.execute();
	await db.schema
		.createIndex('activities_running')
		.on('activities')
		.columns(['account_id', 'ended_at', 'started_at'])
		.execute();

	await db.schema
		.createTable('messages')
		.addColumn('id', id.type, id.column)
		.addColumn('account_id', 'text', (c) =>
			c.notNull().references('accounts.id').onDelete('cascade'),
		)
		.addColumn('history_id', 'text', (c) =>
			c.notNull().references('history.id').onDelete('cascade'),
		)
		.addColumn('activity_id', 'text', (c) => c.references('activities.id').onDelete('cascade'))
		.addColumn('kind', 'text', (c) => c.notNull())
		.addColumn('content_json', 'text', (c) => c.notNull())
		.addColumn('actions_json', 'text')
		.addColumn('created_at', TIME, (c) => c.notNull())
		.execute();
	await db.schema.createIndex('messages_by_history').on('messages').column('history_id').execute();
	await db.schema
		.createIndex('messages_by_activity')
		.on('messages')
		.column('activity_id')
		.execute();

	await db.schema
		.createTable('deliveries')
		.addColumn('id', id.type, id.column)
		.addColumn('message_id', id.reference, (c) =>
			c.notNull().references('messages.id').onDelete('cascade'),
		)
		.addColumn('device_id', 'text', (c) => c.notNull().references('devices.id').onDelete('cascade'))
		.addColumn('state', 'text', (c) => c.notNull())
		.addColumn('attempts', 'integer', (c) => c.notNull().defaultTo(0))
		.addColumn('next_attempt_at', TIME, (c) => c.notNull())
		.addColumn('last_error', 'text')
		.addColumn('delivered_at', TIME)
		.addColumn('acknowledged_at', TIME)
		.addColumn('dismissed_at', TIME)
		.execute();
	await db.schema
		.createIndex('deliveries_inbox')
		.on('deliveries')
		.columns(['device_id', 'id'])
		.execute();
	await db.schema
		.createIndex('deliveries_of_message')
		.on('deliveries')
		.column('message_id')
		.execute();
	await db.schema
		.createIndex('deliveries_due')
		.on('deliveries')
		.column('next_attempt_at')
		.where(sql<boolean>`state = 'pending'`)
		.execute();

	await db.schema
		.createTable('activity_devices')
		.addColumn('activity_id', 'text', (c) =>
			c.notNull().references('activities.id').onDelete('cascade'),
		)
		.addColumn('device_id', 'text', (c) => c.notNull().references('devices.id').onDelete('cascade'))
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

	await db.schema
		.createTable('streams')
		.addColumn('account_id', 'text', (c) =>
			c.notNull().references('accounts.id').onDelete('cascade'),
		)
		.addColumn('stream_key', 'text', (c) => c.notNull())
		.addColumn('activity_id', 'text', (c) => c.references('activities.id').onDelete('set null'))
		.addColumn('state_json', 'text')
		.addColumn('actions_json', 'text')
		.addColumn('tags_json', 'text')
		.addColumn('channels_json', 'text')
		.addColumn('paused_at', TIME)
		.addColumn('updated_at', TIME, (c) => c.notNull())
		.addPrimaryKeyConstraint('streams_pk', ['account_id', 'stream_key'])
		.execute();
	await db.schema.createIndex('streams_by_activity').on('streams').column('activity_id').execute();

	await db.schema
		.createTable('metrics')
		.addColumn('account_id', 'text', (c) =>
			c.notNull().references('accounts.id').onDelete('cascade'),
		)
		.addColumn('key', 'text', (c) => c.notNull())
		.addColumn('name', 'text', (c) => c.notNull())
		.addColumn('format', 'text', (c) => c.notNull())
		.addColumn('unit', 'text')
		.addColumn('value_json', 'text')
		.addColumn('measured_at', TIME)
		.addColumn('created_at', TIME, (c) => c.notNull())
		.addPrimaryKeyConstraint('metrics_pk', ['account_id', 'key'])
		.execute();

	await db.schema
		.createTable('taps')
		.addColumn('device_id', 'text', (c) => c.notNull().references('devices.id').onDelete('cascade'))
		.addColumn('id', 'text', (c) => c.notNull())
		.addColumn('delivery_id', id.reference)
		.addColumn('activity_id', 'text')
		.addColumn('action', 'text', (c) => c.notNull())
		.addColumn('outcome_json', 'text')
		.addColumn('created_at', TIME, (c) => c.notNull())
		.addPrimaryKeyConstraint('taps_pk', ['device_id', 'id'])
		.execute();
}
