import {
	accountsWithHistory,
	deleteHistory,
	deleteQuietStreams,
	outlivedHistory,
} from '../../store/history/retention.ts';
import type { Context } from '../context.ts';

/** Per deletion. Each step looks through the messages of the entries again. */
const ENTRIES_AT_ONCE = 20;
const STREAMS_AT_ONCE = 500;

/**
 * Deletes history older than `keptMs`, with its deliveries, and streams that have shown nothing since, in small
 * writes so other requests can run in between. Entries still running or waiting for a delivery are kept until done.
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
	const forgetStreams = () =>
		context.database.write(null, (db) => deleteQuietStreams(db, before, STREAMS_AT_ONCE));
	while (!signal?.aborted && (await forgetStreams()) === STREAMS_AT_ONCE);
	return forgotten;
}

async function forgetAccountHistory(
	{ database }: Context,
	accountId: string,
	before: number,
	signal: AbortSignal | undefined,
): Promise<number> {
	let forgotten = 0;
	while (!signal?.aborted) {
		const ids = await database.readInTurn((db) =>
			outlivedHistory(db, accountId, before, ENTRIES_AT_ONCE),
		);
		if (ids.length === 0) break;
		while (!(await database.write(accountId, (db) => deleteHistory(db, ids)))) {
			if (signal?.aborted) return forgotten;
		}
		forgotten += ids.length;
	}
	return forgotten;
}
