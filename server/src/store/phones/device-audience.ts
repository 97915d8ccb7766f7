import { isAmong, statement } from '../engine/statement.ts';
import type { PhoneApp } from '../../contract/device.ts';
import { fromJson } from '../json.ts';
import type { Db, DeviceRow } from '../schema.ts';

/** Device columns that a delivery needs, in addition to the id. */
export const DELIVERY_COLUMNS = [
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

/** The fields of a device needed to resolve an audience. */
export type AudienceDevice = Pick<
	DeviceRow,
	'id' | 'user_id' | 'status' | (typeof DELIVERY_COLUMNS)[number]
>;

/** What the device's app can take; undefined if it has not said. */
export function toApp({ app_json: app }: Pick<DeviceRow, 'app_json'>): PhoneApp | undefined {
	return fromJson<PhoneApp>(app);
}

const AUDIENCE_COLUMNS = [
	'devices.id',
	'devices.user_id',
	'devices.status',
	...DELIVERY_COLUMNS,
] as const;

/** All devices of the accounts but removed ones, ordered by id. */
export const devicesOfAccounts = statement<
	{ accountIds: readonly string[] },
	AudienceDevice & { account_id: string }
>((db, params) =>
	db
		.selectFrom('devices')
		.select([...AUDIENCE_COLUMNS, 'account_id'])
		.where(isAmong(db, 'account_id', params.accountIds))
		.where('removed_at', 'is', null)
		.orderBy('devices.id'),
);

/** The devices with these ids but removed ones. */
export const devicesWithIds = statement<
	{ ids: readonly string[] },
	AudienceDevice & { account_id: string }
>((db, params) =>
	db
		.selectFrom('devices')
		.select([...AUDIENCE_COLUMNS, 'account_id'])
		.where(isAmong(db, 'id', params.ids))
		.where('removed_at', 'is', null),
);

/** A device reached by a channel. */
export interface ReachedDevice extends AudienceDevice {
	channel_id: string;
	/** True if the device has muted the channel. */
	is_muted: boolean;
}

/** Devices in the channels, directly or through their users, once per channel. */
export async function devicesOfChannels(
	db: Db,
	channelIds: readonly string[],
): Promise<ReachedDevice[]> {
	const rows = await ofChannels(db, { channelIds });
	return rows.map(({ muted_by: by, ...device }) => ({ ...device, is_muted: by !== null }));
}

const ofChannels = statement<
	{ channelIds: readonly string[] },
	Omit<ReachedDevice, 'is_muted'> & { muted_by: string | null }
>((db, params) => {
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
