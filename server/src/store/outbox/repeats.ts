import { insertStatement } from '../engine/json-rows.ts';
import { columnsOf, type Db } from '../schema.ts';
import { sql } from 'kysely';
import type { RepeatEnd } from '../../contract/repeats.ts';
import { dueRows } from '../due.ts';
import { isAmong } from '../engine/statement.ts';

export const insertRepeats = insertStatement('repeats', columnsOf('repeats'));

/** A repeat with the entry of its push, and its channels. */
export function repeatById(db: Db, accountId: string, id: string) {
	return db
		.selectFrom('repeats')
		.innerJoin('messages', 'messages.id', 'repeats.message_id')
		.innerJoin('history', 'history.id', 'messages.history_id')
		.select(['repeats.id', 'repeats.end_reason', 'history.channels_json'])
		.select('history.id as history_id')
		.where('repeats.account_id', '=', accountId)
		.where('repeats.id', '=', id)
		.executeTakeFirst();
}

/** In the text of the query, so SQLite sees that the index of unfinished repeats suffices. */
function running(db: Db) {
	return db.updateTable('repeats').where('ended_at', 'is', null);
}

function ending(db: Db, reason: RepeatEnd, now: number) {
	return running(db).set({ ended_at: now, end_reason: reason });
}

/** Ends a repeat that still runs. */
export async function endRepeat(db: Db, id: string, reason: RepeatEnd, now: number) {
	await ending(db, reason, now).where('id', '=', id).execute();
}

/** Ends the repeats of the pushes sent with a key. */
export async function endRepeatsOfKey(db: Db, accountId: string, keyId: string, now: number) {
	await ending(db, 'stopped', now)
		.where('account_id', '=', accountId)
		.where(({ exists, selectFrom }) =>
			exists(
				selectFrom('messages')
					.innerJoin('history', 'history.id', 'messages.history_id')
					.select('history.id')
					.whereRef('messages.id', '=', 'repeats.message_id')
					.where('history.api_key_id', '=', keyId),
			),
		)
		.execute();
}

/** Ends the repeats of messages. */
export async function endRepeatsOf(
	db: Db,
	messageIds: readonly number[],
	now: number,
	reason: RepeatEnd = 'stopped',
) {
	if (messageIds.length === 0) return;
	await ending(db, reason, now).where('message_id', 'in', messageIds).execute();
}

/** The pushes of these deliveries to a device that repeat, with the channels that they went to. */
export function repeatingPushes(db: Db, deviceId: string, deliveryIds: readonly number[]) {
	return db
		.selectFrom('repeats')
		.innerJoin('messages', 'messages.id', 'repeats.message_id')
		.innerJoin('history', 'history.id', 'messages.history_id')
		.select(['repeats.message_id', 'history.channels_json'])
		.where('repeats.ended_at', 'is', null)
		.where(({ eb, selectFrom }) =>
			eb(
				'repeats.message_id',
				'in',
				selectFrom('deliveries')
					.select('deliveries.message_id')
					.where('deliveries.device_id', '=', deviceId)
					.where(isAmong(db, 'deliveries.id', deliveryIds, 'bigint')),
			),
		)
		.execute();
}

/** The running repeats that are due. */
export const dueRepeats = dueRows('repeats', {
	key: ['id'],
	at: 'next_at',
	where: sql`ended_at is null`,
});

/** Counts one delivery of each repeat, and schedules the next. */
export async function scheduleNext(db: Db, ids: readonly string[], now: number) {
	const at = sql`cast(${now} as bigint)`;
	await running(db)
		.set((eb) => ({
			times_left: eb('times_left', '-', 1),
			next_at: sql<number>`every_ms + ${at}`,
			ended_at: sql<number | null>`case when times_left <= 1 then ${at} end`,
			end_reason: sql<RepeatEnd | null>`case when times_left <= 1 then 'finished' end`,
		}))
		.where('id', 'in', ids)
		.execute();
}
