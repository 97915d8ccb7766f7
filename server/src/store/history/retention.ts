import { type RawBuilder, sql } from 'kysely';
import { isSelected, isPostgres, PENDING } from '../engine/statement.ts';
import type { Db } from '../schema.ts';

/** Ids of the accounts with entries from before `before`, by one index lookup per account. */
export async function accountsWithHistory(db: Db, before: number) {
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
export async function expiredHistory(db: Db, accountId: string, before: number, limit: number) {
	const rows = await db
		.selectFrom('history')
		.select('id')
		.where('account_id', '=', accountId)
		.where('created_at', '<', before)
		.where((eb) => eb.or([eb('kind', '!=', 'activity'), eb('ended_at', '<', before)]))
		// An open question can be older than the history.
		.where('id', 'not in', ({ selectFrom }) =>
			selectFrom('questions')
				.select('questions.id')
				.where('questions.account_id', '=', accountId)
				.where('questions.ended_at', 'is', null),
		)
		// Starts from the few pending deliveries: an entry may have one to each of ten thousand phones.
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

/** Rows of a table in one step. A write blocks the others, so each takes only milliseconds. */
const ROWS_AT_ONCE = 250;

/** The same for pictures, of up to two megabytes each. */
const IMAGES_AT_ONCE = 5;

/**
 * Deletes entries with all that they own, or some of it if that is much: phones, taps and deliveries of an entry
 * may be tens of thousands.
 * @returns whether the entries are gone
 */
export async function deleteHistory(db: Db, ids: readonly string[]) {
	const row = isPostgres(db) ? 'ctid' : 'rowid';
	const ofEntries = (key: string) => sql`${sql.ref(key)} in (${sql.join(ids)})`;
	const messages = sql`(select id from messages where ${ofEntries('history_id')})`;
	// Rows that refer to another go first: otherwise, the foreign keys would delete them all in one long write.
	const steps: Array<[table: string, rows: RawBuilder<unknown>, limit?: number]> = [
		['deliveries', isSelected(db, 'message_id', messages)],
		['messages', ofEntries('history_id')],
		['taps', ofEntries('history_id')],
		['activity_devices', ofEntries('activity_id')],
		['images', ofEntries('history_id'), IMAGES_AT_ONCE],
	];
	for (const [table, rows, limit = ROWS_AT_ONCE] of steps) {
		const batch = sql`(select ${sql.ref(row)} from ${sql.table(table)} where ${rows} limit ${sql.lit(limit)})`;
		const { numAffectedRows } =
			await sql`delete from ${sql.table(table)} where ${isSelected(db, row, batch)}`.execute(db);
		if (Number(numAffectedRows) === limit) return false;
	}
	await db.deleteFrom('history').where('id', 'in', ids).execute();
	return true;
}

/**
 * Forgets streams that have shown nothing since `before`. Paused ones stay: somebody paused them, and expects the
 * next update not to start them.
 * @returns the number deleted, at most `limit`
 */
export async function deleteIdleStreams(db: Db, before: number, limit: number) {
	const quiet = sql`coalesce(activity_id, '') = '' and paused_at is null and updated_at < ${before}`;
	// The condition again: another server may start one of them meanwhile.
	const { numAffectedRows = 0n } = await sql`
		delete from streams where ${quiet} and (account_id, stream_key) in (
			select account_id, stream_key from streams where ${quiet} limit ${sql.lit(limit)}
		)`.execute(db);
	return Number(numAffectedRows);
}
