import type {
	ClearRequest,
	ClearResponse,
	RestoreResponse,
	ShownNotifications,
} from '../contract/device.ts';
import { newestDeliveryId } from '../store/phones/inbox.ts';
import {
	countShownPushes,
	dismissShownPushes,
	newestShownPushes,
	restorePushes,
} from '../store/phones/shown-pushes.ts';
import type { Context } from './context.ts';
import { type Phone, RECENT_PUSHES } from './devices.ts';

/** Dismisses every notification up to a delivery; later arrivals stay. */
export async function clearNotifications(
	context: Context,
	device: Phone,
	{ up_to: upTo }: ClearRequest,
): Promise<ClearResponse> {
	const now = context.now();
	const cleared = await context.database.write(device.account_id, (db) =>
		dismissShownPushes(db, { deviceId: device.id, upTo, now }),
	);
	context.live.dismissalsChanged(device.id);
	// The time of the clearing identifies its notifications.
	return { cleared, undo: String(now) };
}

/** Restores the notifications of one clearing. */
export async function undoClearing(
	context: Context,
	device: Phone,
	undo: string,
): Promise<RestoreResponse> {
	const restored = await context.database.write(device.account_id, (db) =>
		restorePushes(db, device.id, Number(undo)),
	);
	context.live.dismissalsChanged(device.id);
	return { restored };
}

/** The notifications on the phone's lock screen, for its other open pages. */
export async function shownNotifications(
	context: Context,
	device: Phone,
): Promise<ShownNotifications> {
	const db = context.database.read;
	// Read the cursor first: anything arriving meanwhile is then reported as a delivery.
	const cursor = await newestDeliveryId(db, device.id);
	const [ids, count] = await Promise.all([
		newestShownPushes(db, device.id, RECENT_PUSHES),
		countShownPushes(db, device.id),
	]);
	return { cursor, ids, count };
}
