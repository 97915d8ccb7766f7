import type { Kysely } from 'kysely';
import { createIndexes, key, ofAccount, partOf, required, TIME } from '../columns.ts';

/** Phones, and the channels that reach them. */
export async function createPhones(db: Kysely<unknown>): Promise<void> {
	await db.schema
		.createTable('devices')
		.addColumn('id', 'text', key)
		.addColumn('account_id', 'text', ofAccount)
		.addColumn('user_id', 'text', partOf('users.id'))
		.addColumn('name', 'text', required)
		.addColumn('platform', 'text', required)
		.addColumn('token_hash', 'text', (c) => c.notNull().unique())
		.addColumn('status', 'text', required)
		.addColumn('push_token', 'text')
		.addColumn('push_to_start_token', 'text')
		.addColumn('push_environment', 'text', (c) => c.notNull().defaultTo('production'))
		.addColumn('push_subscription_json', 'text')
		// Apple's reports about an earlier token no longer apply.
		.addColumn('push_registered_at', TIME)
		.addColumn('badge', 'integer', (c) => c.notNull().defaultTo(0))
		.addColumn('quiet_json', 'text')
		.addColumn('paired_at', TIME, required)
		.addColumn('last_seen_at', TIME, required)
		.addColumn('removed_at', TIME)
		.execute();

	await db.schema
		.createTable('channels')
		.addColumn('id', 'text', key)
		.addColumn('account_id', 'text', ofAccount)
		.addColumn('slug', 'text', required)
		.addColumn('name', 'text', required)
		.addColumn('created_at', TIME, required)
		.addUniqueConstraint('channels_slug', ['account_id', 'slug'])
		.execute();

	await db.schema
		.createTable('channel_users')
		.addColumn('channel_id', 'text', partOf('channels.id'))
		.addColumn('user_id', 'text', partOf('users.id'))
		.addPrimaryKeyConstraint('channel_users_pk', ['channel_id', 'user_id'])
		.execute();

	await db.schema
		.createTable('channel_devices')
		.addColumn('channel_id', 'text', partOf('channels.id'))
		.addColumn('device_id', 'text', partOf('devices.id'))
		.addPrimaryKeyConstraint('channel_devices_pk', ['channel_id', 'device_id'])
		.execute();

	await db.schema
		.createTable('api_key_channels')
		.addColumn('api_key_id', 'text', partOf('api_keys.id'))
		.addColumn('channel_id', 'text', partOf('channels.id'))
		.addPrimaryKeyConstraint('api_key_channels_pk', ['api_key_id', 'channel_id'])
		.execute();

	await db.schema
		.createTable('muted_channels')
		.addColumn('channel_id', 'text', partOf('channels.id'))
		.addColumn('device_id', 'text', partOf('devices.id'))
		.addPrimaryKeyConstraint('muted_channels_pk', ['channel_id', 'device_id'])
		.execute();

	await createIndexes(db, [
		'devices_by_account on devices (account_id, status)',
		'devices_by_user on devices (user_id)',
		// Registering a token takes it away from the device that had it.
		'devices_by_push_token on devices (push_token) where push_token is not null',
		'devices_by_push_to_start_token on devices (push_to_start_token) where push_to_start_token is not null',
		'devices_by_push_subscription_json on devices (push_subscription_json) where push_subscription_json is not null',
		'muted_channels_by_device on muted_channels (device_id)',
	]);
}
