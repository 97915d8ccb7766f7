import { isAmong } from '../engine/statement.ts';
import type { Db } from '../schema.ts';
import { otherPhones } from './devices.ts';
import { SHOWN } from './inbox.ts';

/** Pushes on the phone's lock screen. */
function shownPushes(db: Db, deviceId: string) {
	return db
		.selectFrom('deliveries')
		.where('device_id', '=', deviceId)
		.where(SHOWN)
		.where('state', '!=', 'failed');
}

/** A batch of a phone's pushes, by the ids of its deliveries. */
interface Batch {
	deviceId: string;
	/** The last delivery of the previous batch; 0: none. */
	after: number;
	limit: number;
}

function selectBatch(db: Db, { deviceId, after, limit }: Batch) {
	const pushes = shownPushes(db, deviceId).select('id').where('id', '>', after);
	return pushes.orderBy('id').limit(limit);
}

/** @returns the deliveries of the batch */
async function setDismissed(
	db: Db,
	batch: ReturnType<typeof selectBatch>,
	dismissedAt: number | null,
) {
	const change = db.updateTable('deliveries').set({ dismissed_at: dismissedAt });
	const rows = await change.where('id', 'in', batch).returning('id').execute();
	return rows.map(({ id }) => id);
}

/** @returns the number of pushes in the batch, and the last of them */
export async function countShownPushes(db: Db, batch: Batch) {
	const { count, last } = await db
		.selectFrom(selectBatch(db, batch).as('batch'))
		.select(({ fn }) => [
			fn.countAll<number>().as('count'),
			fn.max<number | null>('batch.id').as('last'),
		])
		.executeTakeFirstOrThrow();
	return { count, last: last ?? batch.after };
}

/** The ids of the newest pushes, newest first. */
export async function newestShownPushes(db: Db, deviceId: string, limit: number) {
	const rows = await shownPushes(db, deviceId)
		.select('id')
		.orderBy('id', 'desc')
		.limit(limit)
		.execute();
	return rows.map(({ id }) => id);
}

/** @returns the deliveries that were on the lock screen */
export function dismissShownPushes(
	db: Db,
	{ upTo, now, ...batch }: Batch & { upTo: number; now: number },
) {
	return setDismissed(db, selectBatch(db, batch).where('id', '<=', upTo), now);
}

/**
 * Dismisses pushes on the other phones of the device's user.
 * @param deliveryIds the deliveries of the pushes to the device
 * @returns the phones that showed one of them
 */
export async function dismissOnOtherPhones(
	db: Db,
	device: { id: string; user_id: string },
	deliveryIds: readonly number[],
	now: number,
) {
	if (deliveryIds.length === 0) return [];
	const rows = await db
		.updateTable('deliveries')
		.set({ dismissed_at: now })
		.where('message_id', 'in', (eb) =>
			eb
				.selectFrom('deliveries as own')
				.select('own.message_id')
				.where(isAmong(db, 'own.id', deliveryIds, 'bigint'))
				.where('own.device_id', '=', device.id),
		)
		.where('device_id', 'in', otherPhones(db, device))
		.where('dismissed_at', 'is', null)
		.returning('device_id')
		.execute();
	return [...new Set(rows.map(({ device_id: id }) => id))];
}

/**
 * Restores the pushes dismissed at the given time, except those that a reminder or the end of a snooze has shown again
 * since.
 * @returns their deliveries
 */
export function restorePushes(
	db: Db,
	{ deviceId, after, limit, dismissedAt }: Batch & { dismissedAt: number },
) {
	const batch = db
		.selectFrom('deliveries')
		.select('id')
		.where('device_id', '=', deviceId)
		.where('dismissed_at', '=', dismissedAt)
		.where('id', '>', after)
		.where(({ not, exists, selectFrom }) =>
			not(
				exists(
					selectFrom('deliveries as newer')
						.select('newer.id')
						.whereRef('newer.message_id', '=', 'deliveries.message_id')
						.whereRef('newer.device_id', '=', 'deliveries.device_id')
						.whereRef('newer.id', '>', 'deliveries.id'),
				),
			),
		)
		.orderBy('id')
		.limit(limit);
	return setDismissed(db, batch, null);
}
