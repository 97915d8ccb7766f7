import { sql } from 'kysely';
import type { RepeatEnd } from '../../contract/repeats.ts';
import { isAmong } from '../engine/statement.ts';
import type { Db, RepeatRow } from '../schema.ts';
import { DELIVERY_COLUMNS } from '../phones/device-audience.ts';
import { MESSAGE_COLUMNS, type Message } from './messages.ts';
import type { DeliveryDevice } from './outbox.ts';

export async function insertRepeats(db: Db, repeats: readonly RepeatRow[]): Promise<void> {
	if (repeats.length > 0) await db.insertInto('repeats').values(repeats).execute();
}

type StoredRepeat = Pick<RepeatRow, 'id' | 'end_reason'> & {
	/** The channels of its push. */
	channels_json: string | null;
	history_id: string;
};

export function repeatById(
	db: Db,
	accountId: string,
	id: string,
): Promise<StoredRepeat | undefined> {
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
export async function endRepeat(db: Db, id: string, reason: RepeatEnd, now: number): Promise<void> {
	await ending(db, reason, now).where('id', '=', id).execute();
}

/** Ends the repeats of the pushes sent with a key. */
export async function endRepeatsOfKey(
	db: Db,
	accountId: string,
	keyId: string,
	now: number,
): Promise<void> {
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
): Promise<void> {
	await ending(db, 'stopped', now).where('message_id', 'in', messageIds).execute();
}

/** Ends the repeats of the pushes that these deliveries brought to a device. */
export async function endRepeats(
	db: Db,
	deviceId: string,
	deliveryIds: readonly number[],
	now: number,
): Promise<void> {
	if (deliveryIds.length === 0) return;
	await ending(db, 'reacted', now)
		.where(({ eb, selectFrom }) =>
			eb(
				'message_id',
				'in',
				selectFrom('deliveries')
					.select('message_id')
					.where('device_id', '=', deviceId)
					.where(isAmong(db, 'id', deliveryIds, 'bigint')),
			),
		)
		.execute();
}

/** The running repeats that are due, the longest overdue first. */
export function dueRepeats(
	db: Db,
	now: number,
	limit: number,
): Promise<Array<Pick<RepeatRow, 'id' | 'account_id'>>> {
	return db
		.selectFrom('repeats')
		.select(['id', 'account_id'])
		.where('ended_at', 'is', null)
		.where('next_at', '<=', now)
		.orderBy('next_at')
		.limit(limit)
		.execute();
}

/**
 * Counts one delivery of each repeat that is still due, and schedules the next. Only one of several
 * servers gets it: the update checks again, under the lock of the row or the file.
 * @returns the messages to deliver
 */
export async function takeDueRepeats(
	db: Db,
	ids: readonly string[],
	now: number,
): Promise<number[]> {
	const at = sql`cast(${now} as bigint)`;
	const rows = await running(db)
		.set((eb) => ({
			times_left: eb('times_left', '-', 1),
			next_at: sql<number>`every_ms + ${at}`,
			ended_at: sql<number | null>`case when times_left <= 1 then ${at} end`,
			end_reason: sql<RepeatEnd | null>`case when times_left <= 1 then 'finished' end`,
		}))
		.where('id', 'in', ids)
		.where('next_at', '<=', now)
		.returning('message_id')
		.execute();
	return rows.map(({ message_id: id }) => id);
}

interface RepeatedMessage extends Message {
	/** The channels of the push; null: every device of the account. */
	channels_json: string | null;
}

export function repeatedMessages(db: Db, ids: readonly number[]): Promise<RepeatedMessage[]> {
	return db
		.selectFrom('messages')
		.innerJoin('history', 'history.id', 'messages.history_id')
		.select(MESSAGE_COLUMNS)
		.select('history.channels_json')
		.where('messages.id', 'in', ids)
		.orderBy('messages.id')
		.execute();
}

/** A paired device that got a message before. */
type EarlierReceiver = DeliveryDevice & { message_id: number; user_id: string };

export async function listReceivers(
	db: Db,
	messageIds: readonly number[],
): Promise<EarlierReceiver[]> {
	return db
		.selectFrom('deliveries')
		.innerJoin('devices', 'devices.id', 'deliveries.device_id')
		.select(['deliveries.message_id', 'devices.id', 'devices.user_id', ...DELIVERY_COLUMNS])
		.distinct()
		.where('deliveries.message_id', 'in', messageIds)
		.where('devices.status', '=', 'active')
		.orderBy('devices.id')
		.execute();
}

/**
 * Takes the earlier deliveries of messages off the phones: a repeat replaces them. One that is
 * being attempted is left to its attempt.
 * @param deviceIds the phones that get the repeat, if not all that got the messages
 */
export async function retireDeliveries(
	db: Db,
	messageIds: readonly number[],
	now: number,
	deviceIds?: readonly string[],
): Promise<void> {
	const theirs = () =>
		db
			.updateTable('deliveries')
			.where('message_id', 'in', messageIds)
			.$if(deviceIds !== undefined, (query) =>
				query.where(isAmong(db, 'device_id', deviceIds ?? [])),
			);
	await theirs().set({ dismissed_at: now }).where('dismissed_at', 'is', null).execute();
	await theirs()
		.set({ state: 'superseded', leased_until: null })
		.where('state', '=', 'pending')
		.where((eb) => eb.or([eb('leased_until', 'is', null), eb('leased_until', '<=', now)]))
		.execute();
}
