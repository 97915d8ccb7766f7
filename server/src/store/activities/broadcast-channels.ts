import { sql } from 'kysely';
import { deleteBy, findBy } from '../engine/by-key.ts';
import type { BroadcastChannelRow, Db } from '../schema.ts';

/** The activity's channel at one of Apple's services. */
export const channelOf = findBy('broadcast_channels', 'activity_id', 'environment');

/** Stores an activity's channel. @returns the one it has: another server may have stored one first */
export async function saveChannel(db: Db, row: BroadcastChannelRow) {
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
export function endedChannels(db: Db, part: { now: number; keptMs: number; limit: number }) {
	const { now, keptMs, limit } = part;
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

export const forgetChannel = deleteBy('broadcast_channels', 'activity_id', 'environment');
