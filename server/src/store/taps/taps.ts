import { findBy, insertInto } from '../engine/by-key.ts';
import type { Db, TapRow } from '../schema.ts';

/** This device's report of a tap; another device may use the same id. */
export const tapOfDevice = findBy('taps', 'device_id', 'id');

export const recordTap = insertInto('taps');

export async function recordTapOutcome(
	db: Db,
	deviceId: string,
	id: string,
	outcomeJson: string,
): Promise<void> {
	await db
		.updateTable('taps')
		.set({ outcome_json: outcomeJson })
		.where('device_id', '=', deviceId)
		.where('id', '=', id)
		.execute();
}

/** The taps on the entry that have no outcome yet. */
export async function tapsWithoutOutcome(
	db: Db,
	historyId: string,
): Promise<Array<Pick<TapRow, 'device_id' | 'id'>>> {
	return db
		.selectFrom('taps')
		.select(['device_id', 'id'])
		.where('history_id', '=', historyId)
		.where('outcome_json', 'is', null)
		.execute();
}

/** The newest taps on the entry, oldest first. */
export async function tapsOn(db: Db, historyId: string, limit: number): Promise<TapRow[]> {
	const rows = await db
		.selectFrom('taps')
		.selectAll()
		.where('history_id', '=', historyId)
		.orderBy('created_at', 'desc')
		.limit(limit)
		.execute();
	return rows.reverse();
}
