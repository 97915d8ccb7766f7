import { compiledOnce } from './engine/compiled-once.ts';
import { isAmong, PENDING } from './engine/dialect.ts';
import type { Db } from './schema.ts';

export async function markDelivered(db: Db, ids: readonly number[], now: number): Promise<void> {
	if (ids.length > 0) await setDelivered(db, { idsJson: JSON.stringify(ids), now });
}

const setDelivered = compiledOnce<{ idsJson: string; now: number }, object>((db, the) =>
	db
		.updateTable('deliveries')
		.set({
			state: 'delivered',
			delivered_at: the(({ now }) => now),
			last_error: null,
			leased_until: null,
		})
		.where(
			isAmong<number>(
				db,
				'id',
				the(({ idsJson }) => idsJson),
				'bigint',
			),
		),
);

export async function markForRetry(
	db: Db,
	id: number,
	retry: { attempts: number; nextAttemptAt: number; reason: string },
): Promise<void> {
	await db
		.updateTable('deliveries')
		.set({
			attempts: retry.attempts,
			next_attempt_at: retry.nextAttemptAt,
			last_error: retry.reason,
			leased_until: null,
		})
		.where('id', '=', id)
		.where('state', '=', PENDING)
		.execute();
	await supersedeReplaced(db, id);
}

/** A newer message that was stored during the attempt has taken this one's place. */
async function supersedeReplaced(db: Db, id: number): Promise<void> {
	await db
		.updateTable('deliveries')
		.set({ state: 'superseded' })
		.where('id', '=', id)
		.where('state', '=', PENDING)
		.where('replaceable', '=', 1)
		.where(({ exists, selectFrom }) =>
			exists(
				selectFrom('deliveries as newer')
					.select('newer.id')
					.whereRef('newer.device_id', '=', 'deliveries.device_id')
					.whereRef('newer.lane', '=', 'deliveries.lane')
					.whereRef('newer.message_id', '>', 'deliveries.message_id')
					.where('newer.state', '=', PENDING),
			),
		)
		.execute();
}

/** Gives leased deliveries back that nobody has attempted. */
export async function release(db: Db, ids: readonly number[], now: number): Promise<void> {
	if (ids.length === 0) return;
	await db
		.updateTable('deliveries')
		.set({ next_attempt_at: now, leased_until: null })
		.where(isAmong<number>(db, 'id', JSON.stringify(ids), 'bigint'))
		.where('state', '=', PENDING)
		.execute();
}

/** The message goes to the device in a later delivery. */
export async function markSuperseded(db: Db, id: number, reason: string): Promise<void> {
	await db
		.updateTable('deliveries')
		.set({ state: 'superseded', last_error: reason, leased_until: null })
		.where('id', '=', id)
		.where('state', '=', PENDING)
		.execute();
}

export async function markFailed(db: Db, id: number, reason: string): Promise<void> {
	await db
		.updateTable('deliveries')
		.set({ state: 'failed', last_error: reason, leased_until: null })
		.where('id', '=', id)
		.where('state', '=', PENDING)
		.execute();
}

/** What waits for a device that has been disconnected: nothing reaches it any more. */
export async function failPendingOf(db: Db, deviceId: string): Promise<void> {
	await db
		.updateTable('deliveries')
		.set({ state: 'failed', last_error: 'The phone was disconnected', leased_until: null })
		.where('device_id', '=', deviceId)
		.where('state', '=', PENDING)
		.execute();
}
