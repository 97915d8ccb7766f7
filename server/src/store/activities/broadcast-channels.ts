import { sql } from 'kysely';
import { deleteBy } from '../engine/by-key.ts';
import { HELD } from '../outbox/outbox.ts';
import type { BroadcastChannelRow, Db } from '../schema.ts';

/** The id of the activity's channel at one of Apple's services. */
export async function channelOf(
	db: Db,
	activityId: string,
	environment: BroadcastChannelRow['environment'],
): Promise<string | undefined> {
	const row = await db
		.selectFrom('broadcast_channels')
		.select('channel_id')
		.where('activity_id', '=', activityId)
		.where('environment', '=', environment)
		.executeTakeFirst();
	return row?.channel_id;
}

/** The ids of the channels at one of Apple's services. */
export async function channelsAt(
	db: Db,
	environment: BroadcastChannelRow['environment'],
): Promise<string[]> {
	const rows = await db
		.selectFrom('broadcast_channels')
		.select('channel_id')
		.where('environment', '=', environment)
		.execute();
	return rows.map(({ channel_id: channel }) => channel);
}

/** Stores an activity's channel. @returns the one it has: another server may have stored one first */
export async function saveChannel(db: Db, row: BroadcastChannelRow): Promise<string> {
	const { channel_id: channel } = await db
		.insertInto('broadcast_channels')
		.values(row)
		.onConflict((conflict) =>
			conflict
				.columns(['activity_id', 'environment'])
				.doUpdateSet({ channel_id: sql.ref('broadcast_channels.channel_id') }),
		)
		.returning('channel_id')
		.executeTakeFirstOrThrow();
	return channel;
}

/**
 * Channels of activities that ended at least `keptMs` ago and have left the lock screen, or that are no longer stored;
 * the oldest first.
 */
export function endedChannels(
	db: Db,
	{ now, keptMs, limit }: { now: number; keptMs: number; limit: number },
): Promise<BroadcastChannelRow[]> {
	return db
		.selectFrom('broadcast_channels')
		.leftJoin('activities', 'activities.id', 'broadcast_channels.activity_id')
		.selectAll('broadcast_channels')
		.where(({ eb, and, or }) =>
			or([
				eb('activities.id', 'is', null),
				and([eb('ended_at', '<=', now - keptMs), eb('dismiss_at', '<=', now)]),
			]),
		)
		.orderBy('broadcast_channels.created_at')
		.limit(limit)
		.execute();
}

export const deleteChannel = deleteBy('broadcast_channels', 'activity_id', 'environment');

/** True if the message must not interrupt one of its phones. */
export async function isQuietSomewhere(db: Db, messageId: number): Promise<boolean> {
	const row = await db
		.selectFrom('deliveries')
		.select('id')
		.where('message_id', '=', messageId)
		.where(({ eb, or }) => or([eb('muted', '=', 1), eb('held', '!=', HELD.no)]))
		.limit(1)
		.executeTakeFirst();
	return row !== undefined;
}
