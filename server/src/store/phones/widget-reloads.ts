import { sql } from 'kysely';
import { deleteBy } from '../engine/by-key.ts';
import { isAmong, statement } from '../engine/statement.ts';
import { isPostgres } from '../engine/dialect.ts';
import type { Db, DeviceRow, WidgetReloadRow } from '../schema.ts';

/** Stores an iOS device's token for its widgets, replacing an earlier one. */
export async function setWidgetToken(
	db: Db,
	device: Pick<DeviceRow, 'id' | 'account_id'>,
	token: string,
): Promise<void> {
	await db
		.insertInto('widget_reloads')
		.values({ device_id: device.id, account_id: device.account_id, token })
		.onConflict((conflict) => conflict.column('device_id').doUpdateSet({ token, attempts: 0 }))
		.execute();
}

export const forgetWidgetToken = deleteBy('widget_reloads', 'device_id', 'token');

/** Requests a reload of the widgets of the accounts' devices after a metric has changed. */
export const requestWidgetReloads = statement<{ accountIds: readonly string[] }, unknown>(
	(db, params) =>
		db
			.updateTable('widget_reloads')
			.set((eb) => ({ changed: eb('changed', '+', 1) }))
			.where(isAmong(db, 'account_id', params.accountIds)),
);

/** A reload, with the number of changes that it covers. */
export type WidgetReload = Pick<WidgetReloadRow, 'device_id' | 'token' | 'changed' | 'attempts'> &
	Pick<DeviceRow, 'push_environment'>;

/**
 * Leases due reloads to the caller, except those locked by others, such as a set of metric values: neither
 * waits for the other while it holds rows.
 */
export async function claimWidgetReloads(
	db: Db,
	{ now, leaseMs, limit }: { now: number; leaseMs: number; limit: number },
): Promise<WidgetReload[]> {
	const due = await db
		.selectFrom('widget_reloads')
		.innerJoin('devices', 'devices.id', 'widget_reloads.device_id')
		.select(['device_id', 'token', 'push_environment', 'changed', 'attempts'])
		.where('changed', '>', sql.lit(0))
		.where('next_attempt_at', '<=', now)
		.where('devices.status', '=', 'active')
		.limit(limit)
		.$if(isPostgres(db), (query) => query.forUpdate('widget_reloads').skipLocked())
		.execute();
	if (due.length === 0) return [];
	const ids = due.map((row) => row.device_id);
	await db
		.updateTable('widget_reloads')
		.set({ next_attempt_at: now + leaseMs })
		.where('device_id', 'in', ids)
		.execute();
	return due;
}

/** Subtracts the changes covered by the reload, and sets the earliest time of the next one. */
export async function markReloaded(
	db: Db,
	{ device_id: deviceId, changed }: WidgetReload,
	nextAt: number,
): Promise<void> {
	await db
		.updateTable('widget_reloads')
		.set((eb) => ({ changed: eb('changed', '-', changed), next_attempt_at: nextAt, attempts: 0 }))
		.where('device_id', '=', deviceId)
		.execute();
}

export async function markReloadForRetry(db: Db, deviceId: string, nextAt: number): Promise<void> {
	await db
		.updateTable('widget_reloads')
		.set((eb) => ({ attempts: eb('attempts', '+', 1), next_attempt_at: nextAt }))
		.where('device_id', '=', deviceId)
		.execute();
}
