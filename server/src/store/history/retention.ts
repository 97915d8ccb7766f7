import { sql } from 'kysely';
import { PENDING } from '../engine/dialect.ts';
import type { Db } from '../schema.ts';

/** Ids of the accounts with entries from before `before`, by one index look-up per account. */
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
		// From what is pending, which is little: an entry may have a delivery to each of ten thousand phones.
		.where('id', 'not in', ({ selectFrom }) =>
			selectFrom('deliveries')
				.crossJoin('messages')
				.whereRef('messages.id', '=', 'deliveries.message_id')
				.where('deliveries.state', '=', PENDING)
				.select('messages.history_id'),
		)
		.orderBy('created_at')
		.limit(limit)
		.execute();
	return rows.map(({ id }) => id);
}

/**
 * What an entry owns, each after what refers to it: the key, how rows are found by the entry, and how many are
 * deleted at a time. A write blocks the others, so each takes only milliseconds.
 */
const OWNED = {
	deliveries: { key: 'id', by: 'message_id', atOnce: 500 },
	messages: { key: 'id', by: 'history_id', atOnce: 500 },
	taps: { key: 'device_id, id', by: 'history_id', atOnce: 500 },
	activity_devices: { key: 'activity_id, device_id', by: 'activity_id', atOnce: 500 },
	// Megabytes each.
	images: { key: 'path_hash', by: 'history_id', atOnce: 5 },
};

/** The tables whose rows must be deleted before the entries, in this order. */
export const OWNED_TABLES = Object.keys(OWNED) as Array<keyof typeof OWNED>;

/** Deletes some of the rows that the entries own in a table. @returns whether there may be more */
export async function deleteOwned(
	db: Db,
	table: keyof typeof OWNED,
	historyIds: readonly string[],
): Promise<boolean> {
	const { key, by, atOnce } = OWNED[table];
	const [rows, columns] = [sql.table(table), sql.raw(key)];
	const ids = sql.join(historyIds);
	const owners =
		by === 'message_id' ? sql`select id from messages where history_id in (${ids})` : ids;
	const { numAffectedRows = 0n } = await sql`
		delete from ${rows} where (${columns}) in (
			select ${columns} from ${rows} where ${sql.ref(by)} in (${owners}) limit ${sql.lit(atOnce)}
		)`.execute(db);
	return Number(numAffectedRows) === atOnce;
}

/** Also deletes the entries' tags and activities; what they own must be deleted first. */
export async function deleteHistory(db: Db, ids: readonly string[]): Promise<void> {
	await db.deleteFrom('history').where('id', 'in', ids).execute();
}

/**
 * Forgets streams that have shown nothing since `before`. Paused ones stay: somebody paused them, and expects the
 * next update not to start them.
 * @returns the number deleted, at most `limit`
 */
export async function deleteQuietStreams(db: Db, before: number, limit: number): Promise<number> {
	const quiet = sql`coalesce(activity_id, '') = '' and paused_at is null and updated_at < ${before}`;
	// The condition again: another server may start one of them meanwhile.
	const { numAffectedRows = 0n } = await sql`
		delete from streams where ${quiet} and (account_id, stream_key) in (
			select account_id, stream_key from streams where ${quiet} limit ${sql.lit(limit)}
		)`.execute(db);
	return Number(numAffectedRows);
}
