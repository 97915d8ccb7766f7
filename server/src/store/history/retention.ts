import { PENDING } from '../engine/dialect.ts';
import type { Db } from '../schema.ts';

/** Oldest entries first: those of before `before` that have ended and wait for no delivery. */
export async function outlivedHistory(
	db: Db,
	accountId: string,
	before: number,
	limit: number,
): Promise<string[]> {
	const rows = await db
		.selectFrom('history')
		.select('id')
		.where('account_id', '=', accountId)
		.where('created_at', '<', before)
		.where((eb) => eb.or([eb('kind', '!=', 'activity'), eb('ended_at', '<', before)]))
		.where(({ not, exists, selectFrom }) =>
			not(
				exists(
					selectFrom('messages')
						.innerJoin('deliveries', 'deliveries.message_id', 'messages.id')
						.select('deliveries.id')
						.whereRef('messages.history_id', '=', 'history.id')
						.where('deliveries.state', '=', PENDING),
				),
			),
		)
		.orderBy('created_at')
		.limit(limit)
		.execute();
	return rows.map(({ id }) => id);
}

/** @returns how many were deleted, `limit` at most */
export async function deleteDeliveriesOf(
	db: Db,
	historyIds: readonly string[],
	limit: number,
): Promise<number> {
	const { numDeletedRows } = await db
		.deleteFrom('deliveries')
		.where(
			'id',
			'in',
			db
				.selectFrom('deliveries')
				.innerJoin('messages', 'messages.id', 'deliveries.message_id')
				.select('deliveries.id')
				.where('messages.history_id', 'in', historyIds)
				.orderBy('deliveries.id')
				.limit(limit),
		)
		.executeTakeFirstOrThrow();
	return Number(numDeletedRows);
}

/** @returns how many were deleted, `limit` at most; their deliveries are to be deleted before */
export async function deleteMessagesOf(
	db: Db,
	historyIds: readonly string[],
	limit: number,
): Promise<number> {
	const { numDeletedRows } = await db
		.deleteFrom('messages')
		.where(
			'id',
			'in',
			db
				.selectFrom('messages')
				.select('id')
				.where('history_id', 'in', historyIds)
				.orderBy('id')
				.limit(limit),
		)
		.executeTakeFirstOrThrow();
	return Number(numDeletedRows);
}

/** With the tags, taps and activities of the entries; their messages are to be deleted before. */
export async function deleteHistory(db: Db, ids: readonly string[]): Promise<void> {
	await db.deleteFrom('history').where('id', 'in', ids).execute();
}
