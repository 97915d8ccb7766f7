import { sql } from 'kysely';
import { type Reaching, reachOf } from '../phones/device-pages.ts';
import type { Db } from '../schema.ts';

export function channelsList(db: Db, accountId: string) {
	return db.selectFrom('channels').selectAll().where('account_id', '=', accountId).orderBy('slug');
}

/** The first of a channel's people, by name, each with the number of all. */
export function firstUsers(db: Db, channelId: string, limit: number) {
	return db
		.selectFrom('channel_users')
		.innerJoin('users', 'users.id', 'channel_users.user_id')
		.where('channel_id', '=', channelId)
		.select(['users.name', sql<number>`count(*) over ()`.as('count')])
		.orderBy('users.name')
		.limit(limit)
		.execute();
}

/** The first of the phones that are in a channel themselves, by name, each with the number of all. */
export function firstDevices(db: Db, channelId: string, limit: number) {
	return db
		.selectFrom('channel_devices')
		.innerJoin('devices', 'devices.id', 'channel_devices.device_id')
		.innerJoin('users', 'users.id', 'devices.user_id')
		.where('channel_id', '=', channelId)
		.selectAll('devices')
		.select(['users.name as user_name', sql<number>`count(*) over ()`.as('count')])
		.orderBy('devices.name')
		.orderBy('devices.id')
		.limit(limit)
		.execute();
}

/** How many paired phones get a push sent to the channel, and how many of them nothing can wake. */
export function countReached(db: Db, channelId: string, reaching: Reaching) {
	const whileOpen = sql<number>`count(case when ${reachOf(db, reaching)} = 'while_open' then 1 end)`;
	return db
		.selectFrom('devices')
		.where('devices.id', 'in', ({ selectFrom }) =>
			selectFrom('channel_devices')
				.select('device_id')
				.where('channel_id', '=', channelId)
				.unionAll(
					selectFrom('channel_users')
						.innerJoin('devices as own', 'own.user_id', 'channel_users.user_id')
						.select('own.id as device_id')
						.where('channel_id', '=', channelId),
				),
		)
		.where('devices.status', '=', 'active')
		.where('devices.removed_at', 'is', null)
		.select(({ fn }) => [fn.countAll<number>().as('reaches'), whileOpen.as('only_while_open')])
		.executeTakeFirstOrThrow();
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
