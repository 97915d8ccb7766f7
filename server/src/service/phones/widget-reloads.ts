import type { ApnsGateway } from '../../delivery/apns/gateway.ts';
import { type Outcome, backoffMs } from '../../delivery/gateway.ts';
import { LEASE_MS } from '../../delivery/outbox.ts';
import { MINUTE_MS } from '../../durations.ts';
import { devicesWithIds } from '../../store/phones/device-audience.ts';
import {
	dueReloads,
	forgetWidgetToken,
	markReloaded,
	updateReload,
} from '../../store/phones/widget-reloads.ts';
import type { DeviceRow, WidgetReloadRow } from '../../store/schema.ts';
import type { Context } from '../context.ts';
import type { LaterKind } from '../later/later.ts';

/** What reloads the widgets of a phone. */
export type WidgetGateway = Pick<ApnsGateway, 'reloadWidgets'>;

/** Minimum milliseconds between two reloads of one phone: iOS gives widgets a daily budget. */
const FLOOR_MS = 5 * MINUTE_MS;

/**
 * Reloads iPhone widgets after a metric changed. Changes in quicker succession than the floor share a reload; the last
 * one is always followed by a reload.
 */
export function widgetReloads(apns: WidgetGateway): LaterKind<WidgetReloadRow> {
	return {
		what: 'reloading widgets',
		rows: dueReloads,
		calls: { perOwner: 500, perAccount: 500, total: 500 },
		async handle(db, { context, rows, time }) {
			const phones = await devicesWithIds(db, { ids: rows.map((row) => row.device_id) });
			for (const { device_id: id } of rows)
				await updateReload(db, id, { next_attempt_at: time + LEASE_MS });
			const calls = rows.flatMap((row) => {
				const phone = phones.find(({ id }) => id === row.device_id);
				return phone ? [() => reload(context, apns, { row, phone })] : [];
			});
			return { calls };
		},
	};
}

interface Reload {
	row: WidgetReloadRow;
	phone: Pick<DeviceRow, 'push_environment'>;
}

async function reload({ database, now }: Context, apns: WidgetGateway, { row, phone }: Reload) {
	const at = now();
	const outcome = await apns
		.reloadWidgets(phone.push_environment, row.token)
		.catch((error: unknown): Outcome => ({ kind: 'retry', reason: String(error) }));
	await database.write(null, async (db) => {
		if (outcome.kind === 'no_token') await forgetWidgetToken(db, row.device_id, row.token);
		else if (outcome.kind === 'retry') {
			const attempts = row.attempts + 1;
			const wait = Math.max(backoffMs(attempts), outcome.retryAfterMs ?? 0);
			await updateReload(db, row.device_id, { attempts, next_attempt_at: now() + wait });
		} else await markReloaded(db, row, at + FLOOR_MS);
	});
}
