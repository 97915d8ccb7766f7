import type { Db } from '../schema.ts';

export function channelsList(db: Db, accountId: string) {
	return db.selectFrom('channels').selectAll().where('account_id', '=', accountId).orderBy('slug');
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

/** The ids of the phones that are in a channel themselves. */
export function ownDevices(db: Db, channelId: string) {
	return db.selectFrom('channel_devices').select('device_id').where('channel_id', '=', channelId);
}

/** The ids of the phones that are in a channel, themselves or through their people. */
export function reachedDevices(db: Db, channelId: string) {
	const throughUsers = db
		.selectFrom('channel_users')
		.innerJoin('devices as own', 'own.user_id', 'channel_users.user_id')
		.select('own.id as device_id')
		.where('channel_id', '=', channelId);
	return ownDevices(db, channelId).unionAll(throughUsers);
}

/** The channels of phones and people, by the id of each. */
export async function channelsOfMembers(
	db: Db,
	ids: readonly string[],
): Promise<Map<string, string[]>> {
	if (ids.length === 0) return new Map();
	const rows = await db
		.selectFrom('channel_devices')
		.innerJoin('channels', 'channels.id', 'channel_devices.channel_id')
		.select(['device_id as id', 'channels.slug'])
		.where('device_id', 'in', ids)
		.unionAll(
			db
				.selectFrom('channel_users')
				.innerJoin('channels', 'channels.id', 'channel_users.channel_id')
				.select(['user_id as id', 'channels.slug'])
				.where('user_id', 'in', ids),
		)
		.orderBy('slug')
		.execute();
	const slugs = new Map<string, string[]>();
	for (const { id, slug } of rows) slugs.set(id, [...(slugs.get(id) ?? []), slug]);
	return slugs;
}
