import { sql } from 'kysely';
import { deleteBy, insertMissing } from '../engine/by-key.ts';
import { rowsStatement } from '../engine/json-rows.ts';
import { isAmong } from '../engine/statement.ts';
import type { ChannelRow, Db } from '../schema.ts';

type Member = { id: string; user_id: string };

/** Ids of the channels that contain the device or its user. */
function selectChannelIds(db: Db, device: Member) {
	return db
		.selectFrom('channel_devices')
		.select('channel_id')
		.where('device_id', '=', device.id)
		.union(
			db.selectFrom('channel_users').select('channel_id').where('user_id', '=', device.user_id),
		);
}

/** The channels that reach the device, with their muted state. */
export async function channelsOfDevice(db: Db, device: Member) {
	const rows = await db
		.selectFrom('channels')
		.leftJoin('muted_channels', (join) =>
			join
				.onRef('muted_channels.channel_id', '=', 'channels.id')
				.on('muted_channels.device_id', '=', device.id),
		)
		.select(['channels.slug', 'channels.name', 'muted_channels.device_id as muted_by'])
		.where('channels.id', 'in', selectChannelIds(db, device))
		.orderBy('channels.slug')
		.execute();
	return rows.map(({ slug, name, muted_by: by }) => ({ slug, name, muted: by !== null }));
}

/** The slugs of the channels that devices have muted, by the id of each. */
export async function mutedByDevices(db: Db, ids: readonly string[]) {
	const rows = await db
		.selectFrom('muted_channels')
		.innerJoin('channels', 'channels.id', 'muted_channels.channel_id')
		.select(['muted_channels.device_id', 'channels.slug'])
		.where(isAmong(db, 'muted_channels.device_id', ids))
		.orderBy('channels.slug')
		.execute();
	const byDevice = Map.groupBy(rows, ({ device_id: id }) => id);
	return new Map([...byDevice].map(([id, mutes]) => [id, mutes.map(({ slug }) => slug)]));
}

/** @returns whether the device is in a channel with this slug */
export async function setMuted(db: Db, device: Member, slug: string, muted: boolean) {
	const channel = await db
		.selectFrom('channels')
		.select('id')
		.where('slug', '=', slug)
		.where('id', 'in', selectChannelIds(db, device))
		.executeTakeFirst();
	if (!channel) return false;
	if (muted) await mute(db, { channel_id: channel.id, device_id: device.id });
	else await unmute(db, channel.id, device.id);
	return true;
}

const mute = insertMissing('muted_channels');
const unmute = deleteBy('muted_channels', 'channel_id', 'device_id');

interface MutedChannel extends Pick<ChannelRow, 'account_id' | 'slug'> {
	device_id: string;
}

/** The mutes of the channels with these slugs, of several accounts. */
export const mutesOfChannels = rowsStatement(
	'channels',
	['account_id', 'slug'],
	(_db, rows) => sql<MutedChannel>`
		select channels.account_id, channels.slug, muted_channels.device_id
		from (${rows}) as asked
		cross join channels
		cross join muted_channels
		where channels.account_id = asked.account_id and channels.slug = asked.slug
			and muted_channels.channel_id = channels.id`,
);
