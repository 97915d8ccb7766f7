import type { Database } from '../../store/database.ts';
import {
	claimWidgetReloads,
	forgetWidgetToken,
	markReloaded,
	markReloadForRetry,
	type WidgetReload,
} from '../../store/phones/widget-reloads.ts';
import { backoffMs } from '../backoff.ts';
import type { Outcome } from '../gateway.ts';
import { LEASE_MS } from '../outbox.ts';
import type { ApnsGateway } from './gateway.ts';

const CLAIMED_AT_ONCE = 500;

interface WidgetReloads {
	database: Database;
	apns: ApnsGateway;
	now: () => number;
	/** Minimum milliseconds between two reloads of one device: iOS gives widgets a daily budget. */
	floorMs: number;
}

/**
 * Reloads the iPhone widgets that are due after a metric changed. Changes in quicker succession than the floor
 * share a reload; the last one is always followed by a reload.
 */
export async function reloadWidgets(options: WidgetReloads): Promise<void> {
	const { database, now } = options;
	const reloads = await database.write(null, (db) =>
		claimWidgetReloads(db, { now: now(), leaseMs: LEASE_MS, limit: CLAIMED_AT_ONCE }),
	);
	await Promise.all(reloads.map((reload) => attempt(reload, options)));
}

async function attempt(
	reload: WidgetReload,
	{ database, apns, now, floorMs }: WidgetReloads,
): Promise<void> {
	const at = now();
	const outcome = await apns
		.reloadWidgets(reload.push_environment, reload.token)
		.catch((error: unknown): Outcome => ({ kind: 'retry', reason: String(error) }));
	await database.write(null, async (db) => {
		if (outcome.kind === 'no_token') await forgetWidgetToken(db, reload.device_id, reload.token);
		else if (outcome.kind === 'retry') {
			const wait = Math.max(backoffMs(reload.attempts + 1), outcome.retryAfterMs ?? 0);
			await markReloadForRetry(db, reload.device_id, now() + wait);
		} else await markReloaded(db, reload, at + floorMs);
	});
}
