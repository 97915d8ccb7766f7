import {
	accountsWithHistory,
	deleteDeliveries,
	deleteHistory,
	deleteMessages,
	outlivedHistory,
} from '../../store/history/retention.ts';
import type { Context } from '../context.ts';

/** Rows per deletion. A write blocks the others, so each takes only milliseconds. */
const ROWS_AT_ONCE = 500;

const ENTRIES_AT_ONCE = 100;

/**
 * Deletes history older than `keptMs`, with its deliveries, in small writes so other requests can run in
 * between. Entries still running or waiting for a delivery are kept until done.
 * @param signal stops the deletion between two writes
 * @returns the number of entries deleted
 */
export async function forgetOldHistory(
	context: Context,
	keptMs: number,
	signal?: AbortSignal,
): Promise<number> {
	const before = context.now() - keptMs;
	let forgotten = 0;
	for (const id of await accountsWithHistory(context.database.read, before))
		forgotten += await forgetAccountHistory(context, id, before, signal);
	return forgotten;
}

async function forgetAccountHistory(
	{ database }: Context,
	accountId: string,
	before: number,
	signal: AbortSignal | undefined,
): Promise<number> {
	const isFull = async (rows: Promise<number>) => (await rows) === ROWS_AT_ONCE;
	let forgotten = 0;
	while (!signal?.aborted) {
		const ids = await outlivedHistory(database.read, accountId, before, ENTRIES_AT_ONCE);
		if (ids.length === 0) break;
		for (const deleteSome of [deleteDeliveries, deleteMessages]) {
			while (await isFull(database.write(accountId, (db) => deleteSome(db, ids, ROWS_AT_ONCE)))) {
				if (signal?.aborted) return forgotten;
			}
		}
		await database.write(accountId, (db) => deleteHistory(db, ids));
		forgotten += ids.length;
	}
	return forgotten;
}
