import type { Db } from './schema.ts';

export async function renameChannel(db: Db, channelId: string, name: string): Promise<void> {
	await db.updateTable('channels').set({ name }).where('id', '=', channelId).execute();
}

/** Takes every user out, before those that are to be in it are put in. */
export async function clearChannelUsers(db: Db, channelId: string): Promise<void> {
	await db.deleteFrom('channel_users').where('channel_id', '=', channelId).execute();
}

export async function clearChannelDevices(db: Db, channelId: string): Promise<void> {
	await db.deleteFrom('channel_devices').where('channel_id', '=', channelId).execute();
}

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

export async function deleteChannel(db: Db, channelId: string): Promise<void> {
	await db.deleteFrom('channels').where('id', '=', channelId).execute();
}
