import { sql } from 'kysely';
import { deleteBy, insertInto, insertMissing, updateBy } from '../engine/by-key.ts';
import { isAmong, statement } from '../engine/statement.ts';
import { rowsStatement } from '../engine/json-rows.ts';
import type { Channel, Db } from '../schema.ts';

export const insertChannel = insertInto('channels');

export const channelsBySlug = statement<{ accountId: string; slugs: readonly string[] }, Channel>(
	(db, params) =>
		db
			.selectFrom('channels')
			.selectAll()
			.where('account_id', '=', params.accountId)
			.where(isAmong(db, 'slug', params.slugs)),
);

type NamedChannel = Pick<Channel, 'id' | 'account_id' | 'slug'>;

/** The existing channels with these slugs, for several accounts. */
export const channelsNamedBy = rowsStatement(
	'channels',
	['account_id', 'slug'],
	(_db, rows) => sql<NamedChannel>`
		select channels.id, channels.account_id, channels.slug
		from (${rows}) as asked
		cross join channels
		where channels.account_id = asked.account_id and channels.slug = asked.slug`,
);

/** A user or a device in a channel. */
export interface ChannelMember {
	id: string;
	name: string;
}

export function membersOfChannel(db: Db, channelId: string): Promise<ChannelMember[]> {
	return db
		.selectFrom('channel_users')
		.innerJoin('users', 'users.id', 'channel_users.user_id')
		.select(['users.id', 'users.name'])
		.where('channel_id', '=', channelId)
		.unionAll(
			db
				.selectFrom('channel_devices')
				.innerJoin('devices', 'devices.id', 'channel_devices.device_id')
				.select(['devices.id', 'devices.name'])
				.where('channel_id', '=', channelId),
		)
		.execute();
}

export const addUserToChannel = insertMissing('channel_users');

export const addDeviceToChannel = insertMissing('channel_devices');

export const updateChannel = updateBy('channels', 'id');

/** Removes all users from the channel, before the new ones are added. */
export const clearChannelUsers = deleteBy('channel_users', 'channel_id');

export const clearChannelDevices = deleteBy('channel_devices', 'channel_id');

/** Names of the unrevoked keys that are restricted to the channel. */
export async function keysRestrictedTo(db: Db, channelId: string): Promise<string[]> {
	const rows = await db
		.selectFrom('api_key_channels')
		.innerJoin('api_keys', 'api_keys.id', 'api_key_channels.api_key_id')
		.select('api_keys.name')
		.where('channel_id', '=', channelId)
		.where('api_keys.revoked_at', 'is', null)
		.orderBy('api_keys.name')
		.execute();
	return rows.map(({ name }) => name);
}

export const deleteChannel = deleteBy('channels', 'id');
