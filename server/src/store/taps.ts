import type { Db, TapRow } from './schema.ts';

/** The report of a tap by this device; another device may have made the same id. */
export async function tapOfDevice(
	db: Db,
	deviceId: string,
	id: string,
): Promise<TapRow | undefined> {
	return db
		.selectFrom('taps')
		.selectAll()
		.where('device_id', '=', deviceId)
		.where('id', '=', id)
		.executeTakeFirst();
}

/** @returns undefined when it was recorded now, or the earlier report with the same id */
export async function recordTap(db: Db, tap: TapRow): Promise<TapRow | undefined> {
	const earlier = await tapOfDevice(db, tap.device_id, tap.id);
	if (!earlier) await db.insertInto('taps').values(tap).execute();
	return earlier;
}

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
