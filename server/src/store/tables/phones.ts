import { key, instant, integer, ref, table, text } from './columns.ts';

/** Phones, and the channels that reach them. */
export const phoneTables = {
	devices: table(
		{
			id: key(),
			account_id: ref('accounts'),
			user_id: ref('users'),
			name: text(),
			platform: text<'web' | 'ios'>(),
			token_hash: text().unique(),
			/** `disconnected`: reported gone by its gateway, or unpaired by its user. */
			status: text<'active' | 'disconnected'>(),
			push_token: text().nullable(),
			push_to_start_token: text().nullable(),
			/** Apple's service to which the device's tokens belong. */
			push_environment: text<'production' | 'sandbox'>().default('production'),
			/** A browser's Web Push subscription, in the format of contract/device.ts. */
			push_subscription_json: text().nullable(),
			/**
			 * Time of the last registration of the token, new or unchanged: Apple's reports about an earlier token no
			 * longer apply. null: before this was recorded.
			 */
			push_registered_at: instant().nullable(),
			badge: integer().default(0),
			/** When it is quiet, as in service/quiet/rules.ts; null: never. */
			quiet_json: text().nullable(),
			paired_at: instant(),
			last_seen_at: instant(),
			/** Removed from the lists, but named in the history; null: not removed. */
			removed_at: instant().nullable(),
			/**
			 * Why the last delivery to it failed, if none has succeeded since; `unsubscribed`: its browser ended the
			 * subscription.
			 */
			failure: text().nullable(),
			failed_at: instant().nullable(),
			/** What its app can take, as in contract/device.ts; null: it has not said. */
			app_json: text().nullable(),
		},
		'index devices_by_account on devices (account_id, status)',
		'index devices_by_user on devices (user_id)',
		// Registering a token takes it away from the device that had it.
		'index devices_by_push_token on devices (push_token) where push_token is not null',
		'index devices_by_push_to_start_token on devices (push_to_start_token) where push_to_start_token is not null',
		'index devices_by_push_subscription_json on devices (push_subscription_json) where push_subscription_json is not null',
	),

	channels: table(
		{ id: key(), account_id: ref('accounts'), slug: text(), name: text(), created_at: instant() },
		'constraint channels_slug unique (account_id, slug)',
	),

	channel_users: table(
		{ channel_id: ref('channels'), user_id: ref('users') },
		'constraint channel_users_pk primary key (channel_id, user_id)',
		'index channel_users_by_user on channel_users (user_id)',
	),

	channel_devices: table(
		{ channel_id: ref('channels'), device_id: ref('devices') },
		'constraint channel_devices_pk primary key (channel_id, device_id)',
		'index channel_devices_by_device on channel_devices (device_id)',
	),

	api_key_channels: table(
		{ api_key_id: ref('api_keys'), channel_id: ref('channels') },
		'constraint api_key_channels_pk primary key (api_key_id, channel_id)',
		'index api_key_channels_by_channel on api_key_channels (channel_id)',
	),

	/** Channels whose messages must not interrupt the device. */
	muted_channels: table(
		{ channel_id: ref('channels'), device_id: ref('devices') },
		'constraint muted_channels_pk primary key (channel_id, device_id)',
		'index muted_channels_by_device on muted_channels (device_id)',
	),
};
