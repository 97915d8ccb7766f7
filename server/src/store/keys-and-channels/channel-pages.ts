import { sql } from 'kysely';
import { isAmong } from '../engine/statement.ts';
import type { Db } from '../schema.ts';
import { eachWord, isLike } from '../search.ts';

/** The account's channels, or those with all words of `search` in name and slug. */
export function channelsList(db: Db, accountId: string, search = '') {
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
