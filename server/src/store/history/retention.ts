import { deleteSelected } from '../engine/by-key.ts';
import { PENDING } from '../engine/dialect.ts';
import type { Db } from '../schema.ts';

/** Ids of the accounts with entries from before `before`, by one index lookup per account. */
export async function accountsWithHistory(db: Db, before: number): Promise<string[]> {
	const rows = await db
		.selectFrom('accounts')
		.select('id')
		.where(({ exists, selectFrom }) =>
			exists(
				selectFrom('history')
					.select('history.id')
					.whereRef('history.account_id', '=', 'accounts.id')
					.where('history.created_at', '<', before),
			),
		)
		.orderBy('id')
		.execute();
	return rows.map(({ id }) => id);
}

/** Ended entries from before `before` without pending deliveries, oldest first. */
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

/** @returns the number deleted, at most `limit` */
export function deleteDeliveries(
	db: Db,
	historyIds: readonly string[],
	limit: number,
): Promise<number> {
	const some = db
		.selectFrom('deliveries')
		.innerJoin('messages', 'messages.id', 'deliveries.message_id')
		.select('deliveries.id')
		.where('messages.history_id', 'in', historyIds)
		.orderBy('deliveries.id')
		.limit(limit);
	return deleteSelected(db, 'deliveries', 'id', some);
}

/** Their deliveries must be deleted first. @returns the number deleted, at most `limit` */
export function deleteMessages(
	db: Db,
	historyIds: readonly string[],
	limit: number,
): Promise<number> {
	const some = db.selectFrom('messages').select('id').where('history_id', 'in', historyIds);
	return deleteSelected(db, 'messages', 'id', some.orderBy('id').limit(limit));
}

/** Also deletes the entries' tags, taps and activities; their messages must be deleted first. */
export async function deleteHistory(db: Db, ids: readonly string[]): Promise<void> {
	await db.deleteFrom('history').where('id', 'in', ids).execute();
}
