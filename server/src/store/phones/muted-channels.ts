import { compiledOnce } from '../engine/compiled-once.ts';
import { isAmong } from '../engine/dialect.ts';
import type { Channel, Db } from '../schema.ts';

export interface DeviceChannel extends Pick<Channel, 'slug' | 'name'> {
	muted: boolean;
}

type Member = { id: string; user_id: string };

/** Ids of the channels that contain the device or its user. */
function channelIdsOf(db: Db, device: Member) {
	return db
		.selectFrom('channel_devices')
		.select('channel_id')
		.where('device_id', '=', device.id)
		.union(
			db.selectFrom('channel_users').select('channel_id').where('user_id', '=', device.user_id),
		);
}

/** The channels that reach the device, with their muted state. */
export async function channelsOfDevice(db: Db, device: Member): Promise<DeviceChannel[]> {
	const rows = await db
		.selectFrom('channels')
		.leftJoin('muted_channels', (join) =>
			join
				.onRef('muted_channels.channel_id', '=', 'channels.id')
				.on('muted_channels.device_id', '=', device.id),
		)
		.select(['channels.slug', 'channels.name', 'muted_channels.device_id as muted_by'])
		.where('channels.id', 'in', channelIdsOf(db, device))
		.orderBy('channels.slug')
		.execute();
	return rows.map(({ slug, name, muted_by: by }) => ({ slug, name, muted: by !== null }));
}

/** @returns whether the device is in a channel with this slug */
export async function setMuted(
	db: Db,
	device: Member,
	slug: string,
	muted: boolean,
): Promise<boolean> {
	const channel = await db
		.selectFrom('channels')
		.select('id')
		.where('slug', '=', slug)
		.where('id', 'in', channelIdsOf(db, device))
		.executeTakeFirst();
	if (!channel) return false;
	const row = { channel_id: channel.id, device_id: device.id };
	if (muted) {
		await db
			.insertInto('muted_channels')
			.values(row)
			.onConflict((conflict) => conflict.doNothing())
			.execute();
	} else {
		await db
			.deleteFrom('muted_channels')
			.where('channel_id', '=', row.channel_id)
			.where('device_id', '=', row.device_id)
			.execute();
	}
	return true;
}

const anyMuted = compiledOnce<{ accountId: string; slugsJson: string }, { id: string }>((db, the) =>
	db
		.selectFrom('channels')
		.innerJoin('muted_channels', 'muted_channels.channel_id', 'channels.id')
		.select('channels.id')
		.where(
			'channels.account_id',
			'=',
			the(({ accountId }) => accountId),
		)
		.where(
			isAmong<string>(
				db,
				'channels.slug',
				the(({ slugsJson }) => slugsJson),
				'text',
			),
		)
		.limit(1),
);

/** Devices that have muted every channel through which these slugs reach them. */
export async function devicesThatMuted(
	db: Db,
	accountId: string,
	slugs: readonly string[],
): Promise<Set<string>> {
	// Most accounts mute nothing, and the query below is costly.
	const muted = await anyMuted(db, { accountId, slugsJson: JSON.stringify(slugs) });
	if (muted.length === 0) return new Set();
	const rows = await db
		.selectFrom('muted_channels')
		.innerJoin('channels', 'channels.id', 'muted_channels.channel_id')
		.innerJoin('devices', 'devices.id', 'muted_channels.device_id')
		.select('devices.id')
		.distinct()
		.where('channels.account_id', '=', accountId)
		.where('channels.slug', 'in', slugs)
		.where(({ not, exists, selectFrom }) =>
			not(
				exists(
					selectFrom('channels as other')
						.select('other.id')
						.where('other.account_id', '=', accountId)
						.where('other.slug', 'in', slugs)
						.where((eb) =>
							eb.or([
								eb.exists(
									eb
										.selectFrom('channel_devices')
										.select('channel_devices.device_id')
										.whereRef('channel_devices.channel_id', '=', 'other.id')
										.whereRef('channel_devices.device_id', '=', 'devices.id'),
								),
								eb.exists(
									eb
										.selectFrom('channel_users')
										.select('channel_users.user_id')
										.whereRef('channel_users.channel_id', '=', 'other.id')
										.whereRef('channel_users.user_id', '=', 'devices.user_id'),
								),
							]),
						)
						.where((eb) =>
							eb.not(
								eb.exists(
									eb
										.selectFrom('muted_channels as muted')
										.select('muted.device_id')
										.whereRef('muted.channel_id', '=', 'other.id')
										.whereRef('muted.device_id', '=', 'devices.id'),
								),
							),
						),
				),
			),
		)
		.execute();
	return new Set(rows.map(({ id }) => id));
}
