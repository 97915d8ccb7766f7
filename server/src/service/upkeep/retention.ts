import {
	accountsWithHistory,
	deleteHistory,
	deleteIdleStreams,
	expiredHistory,
} from '../../store/history/retention.ts';
import type { Context } from '../context.ts';
import { forEachAccount } from '../later/later.ts';
import { DAY_MS } from '../../durations.ts';
import { rememberedTime, rememberTime } from '../../store/server-state.ts';

/** Per deletion. Each step looks through the messages of the entries again. */
const ENTRIES_AT_ONCE = 20;
const STREAMS_AT_ONCE = 500;

/**
 * Deletes history older than `keptMs`, with its deliveries, and streams that have shown nothing since, in small
 * writes so other requests can run in between. Entries still running or waiting for a delivery are kept until done.
 * @param signal stops the deletion between two writes
 * @returns the number of entries deleted
 * @throws AggregateError when it has failed for some accounts, after it has ended for all
 */
export async function deleteOldHistory(context: Context, keptMs: number, signal?: AbortSignal) {
	const before = context.now() - keptMs;
	let forgotten = 0;
	const forgetStreams = () =>
		context.database.write(null, (db) => deleteIdleStreams(db, before, STREAMS_AT_ONCE));
	while (!signal?.aborted && (await forgetStreams()) === STREAMS_AT_ONCE);
	const accounts = await accountsWithHistory(context.database.read, before);
	const forgetOfAccount = async (id: string) => {
		const deleted = await forgetAccountHistory(context, id, before, signal);
		forgotten += deleted;
	};
	const rows = accounts.map((id) => ({ account_id: id }));
	await forEachAccount(rows, forgetOfAccount, 1);
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
			expiredHistory(db, accountId, before, ENTRIES_AT_ONCE),
		);
		if (ids.length === 0) break;
		while (!(await database.write(accountId, (db) => deleteHistory(db, ids)))) {
			if (signal?.aborted) return forgotten;
		}
		forgotten += ids.length;
	}
	return forgotten;
}

/** Time that a clock must run after a jump before it is trusted again. */
const DISTRUST_MS = DAY_MS;

/**
 * Returns a check for whether irreversible work can trust the clock. A clock set ahead makes everything
 * look old at once; this leaves a day to correct it.
 * @param now milliseconds since 1970, by the clock
 * @param elapsed milliseconds of a monotonic clock
 * @param last the last trusted time
 */
export function clockGuard(now: () => number, elapsed: () => number, last = now()): () => boolean {
	let offset = last - elapsed();
	let distrustedUntil = -Infinity;
	return () => {
		const before = offset;
		offset = now() - elapsed();
		if (offset - before > DISTRUST_MS) distrustedUntil = elapsed() + DISTRUST_MS;
		if (before - offset > DISTRUST_MS) distrustedUntil = -Infinity;
		return elapsed() >= distrustedUntil;
	};
}

/**
 * Such a check that keeps the last trusted time in the store, since a clock can be set while no server runs. If no
 * server has run for more than a day, it distrusts the clock for a day too, which does no harm.
 */
export function rememberedClockGuard(context: Pick<Context, 'database' | 'now' | 'elapsed'>) {
	const { database, now, elapsed } = context;
	let guard: (() => boolean) | undefined;
	return async () => {
		guard ??= clockGuard(now, elapsed, await rememberedTime(database.read));
		const isTrusted = guard();
		if (isTrusted) await database.write(null, (db) => rememberTime(db, now()));
		return isTrusted;
	};
}
