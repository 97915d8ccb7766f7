import type { Db, TapRow } from './schema.ts';

/** @returns undefined when it was recorded now, or the earlier report with the same id */
export async function recordTap(db: Db, tap: TapRow): Promise<TapRow | undefined> {
	const earlier = await db
		.selectFrom('taps')
		.selectAll()
		.where('device_id', '=', tap.device_id)
		.where('id', '=', tap.id)
		.executeTakeFirst();
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
