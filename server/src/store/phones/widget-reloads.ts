import { insertStatement } from '../engine/json-rows.ts';
import { sql } from 'kysely';
import { dueRows } from '../due.ts';
import { deleteBy, updateBy } from '../engine/by-key.ts';
import { isAmong, statement } from '../engine/statement.ts';
import type { Db, WidgetReloadRow } from '../schema.ts';

/** Stores iOS devices' tokens for their widgets, replacing earlier ones. */
export const setWidgetTokens = insertStatement(
	'widget_reloads',
	['device_id', 'account_id', 'token', 'attempts'],
	{ replace: { key: ['device_id'] } },
);

export const forgetWidgetToken = deleteBy('widget_reloads', 'device_id', 'token');

/** Requests a reload of the widgets of the accounts' devices after a metric has changed. */
export const requestWidgetReloads = statement<{ accountIds: readonly string[] }, unknown>(
	(db, params) =>
		db
			.updateTable('widget_reloads')
			.set((eb) => ({ changed: eb('changed', '+', 1) }))
			.where(isAmong(db, 'account_id', params.accountIds)),
);

/** The reloads that are due, of phones that are paired. */
export const dueReloads = dueRows('widget_reloads', {
	key: ['device_id'],
	at: 'next_attempt_at',
	where: sql`changed > 0 and exists (
		select 1 from devices where devices.id = widget_reloads.device_id and devices.status = 'active')`,
});

/** Subtracts the changes covered by the reload, and sets the earliest time of the next one. */
export async function markReloaded(
	db: Db,
	{ device_id: deviceId, changed }: Pick<WidgetReloadRow, 'device_id' | 'changed'>,
	nextAt: number,
) {
	await db
		.updateTable('widget_reloads')
		.set((eb) => ({ changed: eb('changed', '-', changed), next_attempt_at: nextAt, attempts: 0 }))
		.where('device_id', '=', deviceId)
		.execute();
}

/** Changes when the device's widgets are reloaded next. */
export const updateReload = updateBy('widget_reloads', 'device_id');
