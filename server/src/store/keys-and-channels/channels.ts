import { sql } from 'kysely';
import { deleteBy, insertInto, insertMissing, updateBy } from '../engine/by-key.ts';
import { isAmong, statement } from '../engine/statement.ts';
import { selectStatement } from '../engine/json-rows.ts';
import type { Db } from '../schema.ts';
import { eachWord, isLike, listPart, type Part } from '../list-pages.ts';

export const insertChannel = insertInto('channels');

export const channelsBySlug = statement(
	(db: Db, params: { accountId: string; slugs: readonly string[] }) =>
		db
			.selectFrom('channels')
			.selectAll()
			.where('account_id', '=', params.accountId)
			.where(isAmong(db, 'slug', params.slugs)),
);

const NAME = ['account_id', 'slug'] as const;

/** The existing channels with these slugs, for several accounts. */
export const channelsNamedBy = selectStatement('channels', NAME, ['id', ...NAME]);

/** @param slugs null: all channels of the account */
export function channelsPart(db: Db, part: Part, slugs: readonly string[] | null) {
	const channels = db.selectFrom('channels').select(['slug', 'name']);
	const own = channels.where('account_id', '=', part.accountId);
	return listPart(slugs ? own.where(isAmong(db, 'slug', slugs)) : own, 'slug', part);
}

/** The users and devices in a channel. */
export function membersOfChannel(db: Db, channelId: string) {
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

/** Names of the unrevoked keys that are limited to the channel. */
export async function keysRestrictedTo(db: Db, channelId: string) {
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

const deleteRow = deleteBy('channels', 'id');

/**
 * Deletes a channel. Revoked keys that were limited to it lose all their channels: a key with only the others must not
 * succeed them, since taps from this channel may still wait for their triggers.
 */
export async function deleteChannel(db: Db, id: string) {
	const keys = db.selectFrom('api_key_channels').where('channel_id', '=', id).select('api_key_id');
	await db.deleteFrom('api_key_channels').where('api_key_id', 'in', keys).execute();
	await deleteRow(db, id);
}

/** The account's channels, or those with all words of `search` in name and slug. */
export function queryChannels(db: Db, accountId: string, search = '') {
	const words = eachWord(search, (like) => [
		isLike(db, 'channels.name', like),
		isLike(db, 'channels.slug', like),
	]);
	return db
		.selectFrom('channels')
		.selectAll()
		.where('account_id', '=', accountId)
		.where((eb) => eb.and(words))
		.orderBy('slug');
}

/** The people in a channel, by name. */
export function channelUsers(db: Db, channelId: string) {
	return db
		.selectFrom('channel_users')
		.innerJoin('users', 'users.id', 'channel_users.user_id')
		.select('users.name')
		.where('channel_id', '=', channelId)
		.orderBy('users.name');
}

/** Selects the ids of the phones that are in a channel themselves. */
export const ownDevices = (channelId: string) =>
	sql`select device_id from channel_devices where channel_id = ${channelId}`;

/** Selects the ids of the phones that are in a channel, themselves or through their people. */
export const reachedDevices = (channelId: string) => sql`
	${ownDevices(channelId)}
	union all
	select devices.id
	from channel_users join devices on devices.user_id = channel_users.user_id
	where channel_id = ${channelId}`;

/** The channels of phones and people, by the id of each. */
export async function channelsOfMembers(db: Db, ids: readonly string[]) {
	const { rows } = await sql<{ id: string; slug: string }>`
		select device_id as id, slug
		from channel_devices join channels on channels.id = channel_id
		where ${isAmong(db, 'device_id', ids)}
		union all
		select user_id as id, slug
		from channel_users join channels on channels.id = channel_id
		where ${isAmong(db, 'user_id', ids)}
		order by slug`.execute(db);
	const slugs = new Map<string, string[]>();
	for (const { id, slug } of rows) slugs.set(id, [...(slugs.get(id) ?? []), slug]);
	return slugs;
}
