import { findBy, insertInto, updateBy } from '../engine/by-key.ts';
import type { Db } from '../schema.ts';

/** This device's report of a tap; another device may use the same id. */
export const tapOfDevice = findBy('taps', 'device_id', 'id');

export const recordTap = insertInto('taps');

export const updateTap = updateBy('taps', 'device_id', 'id');

/** The taps on the entry that have no outcome yet. */
export function tapsWithoutOutcome(db: Db, historyId: string) {
	return db
		.selectFrom('taps')
		.select(['device_id', 'id'])
		.where('history_id', '=', historyId)
		.where('outcome_json', 'is', null)
		.execute();
}

/** The newest taps on the entry, oldest first. */
export async function tapsOn(db: Db, historyId: string, limit: number) {
	const rows = await db
		.selectFrom('taps')
		.selectAll()
		.where('history_id', '=', historyId)
		.orderBy('created_at', 'desc')
		.limit(limit)
		.execute();
	return rows.reverse();
}
