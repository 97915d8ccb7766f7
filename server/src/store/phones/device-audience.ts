import { isAmong, statement } from '../engine/statement.ts';
import type { PhoneApp } from '../../contract/device.ts';
import { type Db, type DeviceRow, fromJson, type Tables } from '../schema.ts';
import type { Selection } from 'kysely';

/** Device columns that a delivery needs, in addition to the id. */
export const DELIVERY_COLUMNS = [
	'user_id',
	'platform',
	'push_token',
	'push_to_start_token',
	'push_environment',
	'push_subscription_json',
	'badge',
	'quiet_json',
	'failed_at',
	'app_json',
] as const;

/** What the device's app can take; undefined if it has not said. */
export function toApp({ app_json: app }: Pick<DeviceRow, 'app_json'>): PhoneApp | undefined {
	return fromJson<PhoneApp>(app);
}

/** Columns needed to resolve an audience. */
export const AUDIENCE_COLUMNS = ['devices.id', 'devices.status', ...DELIVERY_COLUMNS] as const;

export type AudienceDevice = Selection<Tables, 'devices', (typeof AUDIENCE_COLUMNS)[number]>;

/** All devices of the accounts but removed ones, ordered by id. */
export const devicesOfAccounts = statement((db: Db, params: { accountIds: readonly string[] }) =>
	db
		.selectFrom('devices')
		.select([...AUDIENCE_COLUMNS, 'account_id'])
		.where(isAmong(db, 'account_id', params.accountIds))
		.where('removed_at', 'is', null)
		.orderBy('devices.id'),
);

/** The devices with these ids but removed ones. */
export const devicesWithIds = statement((db: Db, params: { ids: readonly string[] }) =>
	db
		.selectFrom('devices')
		.select([...AUDIENCE_COLUMNS, 'account_id'])
		.where(isAmong(db, 'id', params.ids))
		.where('removed_at', 'is', null),
);

/** Devices in the channels, directly or through their users, once per channel. `is_muted`: the device has muted it. */
export async function devicesOfChannels(db: Db, channelIds: readonly string[]) {
	const rows = await ofChannels(db, { channelIds });
	return rows.map(({ muted_by: by, ...device }) => ({ ...device, is_muted: by !== null }));
}

const ofChannels = statement((db: Db, params: { channelIds: readonly string[] }) => {
	const isAsked = (column: string) => isAmong(db, column, params.channelIds);
	const reached = db
		.selectFrom('channel_devices')
		.select(['channel_id', 'device_id'])
		.where(isAsked('channel_id'))
		.union(
			db
				.selectFrom('channel_users')
				.innerJoin('devices', 'devices.user_id', 'channel_users.user_id')
				.select(['channel_users.channel_id', 'devices.id as device_id'])
				.where(isAsked('channel_users.channel_id')),
		);
	return (
		db
			.selectFrom(reached.as('reached'))
			// SQLite keeps the order of a cross join: from the few devices of the channels to their rows.
			.crossJoin('devices')
			.leftJoin('muted_channels', (join) =>
				join
					.onRef('muted_channels.channel_id', '=', 'reached.channel_id')
					.onRef('muted_channels.device_id', '=', 'reached.device_id'),
			)
			.whereRef('devices.id', '=', 'reached.device_id')
			.where('devices.removed_at', 'is', null)
			.select([...AUDIENCE_COLUMNS, 'reached.channel_id', 'muted_channels.device_id as muted_by'])
			.orderBy('devices.id')
	);
});

/** The paired phones of people that got messages. */
export const receiversOfPeople = statement(
	(db: Db, params: { userIds: readonly string[]; messageIds: readonly number[] }) =>
		db
			.selectFrom('devices')
			// SQLite keeps this order: from the few phones of the people to their deliveries.
			.crossJoin('deliveries')
			.select(['deliveries.message_id', 'devices.id', 'devices.user_id'])
			.distinct()
			.where(isAmong(db, 'devices.user_id', params.userIds))
			.where('devices.status', '=', 'active')
			.where(isAmong(db, 'deliveries.message_id', params.messageIds, 'bigint'))
			.whereRef('deliveries.device_id', '=', 'devices.id'),
);

/** The channels that reach devices, directly or through their users. */
export const channelsReaching = statement((db: Db, params: { deviceIds: readonly string[] }) =>
	db
		.selectFrom('channel_devices')
		.innerJoin('channels', 'channels.id', 'channel_devices.channel_id')
		.select(['channel_devices.device_id', 'channels.slug'])
		.where(isAmong(db, 'channel_devices.device_id', params.deviceIds))
		.union(
			db
				.selectFrom('devices')
				.innerJoin('channel_users', 'channel_users.user_id', 'devices.user_id')
				.innerJoin('channels', 'channels.id', 'channel_users.channel_id')
				.select(['devices.id as device_id', 'channels.slug'])
				.where(isAmong(db, 'devices.id', params.deviceIds)),
		),
);

/**
 * The connected phones with their people. All: their slugs, by which they are listed, are not stored.
 * @param slugs of channels that have the phone or its person; null: all phones of the account
 */
export function connectedPhones(db: Db, accountId: string, slugs: readonly string[] | null) {
	const phones = db
		.selectFrom('devices')
		.innerJoin('users', 'users.id', 'devices.user_id')
		.select(['devices.id', 'devices.name', 'users.name as user'])
		.where('devices.account_id', '=', accountId)
		.where('devices.status', '=', 'active');
	if (!slugs) return phones.execute();
	const channels = db
		.selectFrom('channels')
		.select('id')
		.where('account_id', '=', accountId)
		.where(isAmong(db, 'slug', slugs));
	const own = db.selectFrom('channel_devices').where('channel_id', 'in', channels);
	const theirs = db.selectFrom('channel_users').where('channel_id', 'in', channels);
	return phones
		.where(({ eb, or }) =>
			or([
				eb('devices.id', 'in', own.select('device_id')),
				eb('devices.user_id', 'in', theirs.select('user_id')),
			]),
		)
		.execute();
}
