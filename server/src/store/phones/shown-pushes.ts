import { sql } from 'kysely';
import type { Db } from '../schema.ts';

/** Pushes on the phone's lock screen, matching the index deliveries_shown; a push has no lane. */
function shownPushes(db: Db, deviceId: string) {
	return db
		.selectFrom('deliveries')
		.where('device_id', '=', deviceId)
		.where('lane', 'is', null)
		.where('dismissed_at', 'is', null)
		.where('muted', '=', sql.lit(0))
		.where('state', '!=', 'failed');
}

export async function countShownPushes(db: Db, deviceId: string): Promise<number> {
	const { count } = await shownPushes(db, deviceId)
		.select(({ fn }) => fn.countAll<number | bigint | string>().as('count'))
		.executeTakeFirstOrThrow();
	return Number(count);
}

/** The ids of the newest pushes, newest first. */
export async function newestShownPushes(
	db: Db,
	deviceId: string,
	limit: number,
): Promise<number[]> {
	const rows = await shownPushes(db, deviceId)
		.select('id')
		.orderBy('id', 'desc')
		.limit(limit)
		.execute();
	return rows.map(({ id }) => id);
}

/** @returns the number that were on the lock screen */
export async function dismissShownPushes(
	db: Db,
	{ deviceId, upTo, now }: { deviceId: string; upTo: number; now: number },
): Promise<number> {
	const { numUpdatedRows } = await db
		.updateTable('deliveries')
		.set({ dismissed_at: now })
		.where('id', 'in', shownPushes(db, deviceId).select('id').where('id', '<=', upTo))
		.executeTakeFirst();
	return Number(numUpdatedRows);
}

/** Restores the pushes dismissed at the given time. @returns their number */
export async function restorePushes(
	db: Db,
	deviceId: string,
	dismissedAt: number,
): Promise<number> {
	const { numUpdatedRows } = await db
		.updateTable('deliveries')
		.set({ dismissed_at: null })
		.where('device_id', '=', deviceId)
		.where('dismissed_at', '=', dismissedAt)
		.where('lane', 'is', null)
		.executeTakeFirst();
	return Number(numUpdatedRows);
}
