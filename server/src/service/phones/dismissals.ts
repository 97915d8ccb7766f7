import type {
	ClearRequest,
	ClearResponse,
	DismissalRequest,
	RestoreResponse,
	ShownNotifications,
} from '../../contract/device.ts';
import { dismissActivity } from '../../store/activities/activity-devices.ts';
import { dismissDelivery, newestDeliveryId } from '../../store/phones/inbox.ts';
import {
	dismissShownPushes,
	newestShownPushes,
	restorePushes,
} from '../../store/phones/shown-pushes.ts';
import type { Context } from '../context.ts';
import { Refusal } from '../refusal.ts';
import { RECENT_PUSHES } from './inbox.ts';
import type { Phone } from './pairing.ts';
import { countShown } from './shown-count.ts';

/** Refuses what a device says about an activity that was not started on it. */
export function activityNotOnDevice(): Refusal {
	return new Refusal(
		'not_found',
		'Live Activity not found',
		'This Live Activity was not started on this device.',
	);
}

/** @throws Refusal `not_found` when the delivery or activity is not on this device */
export async function reportDismissal(
	context: Context,
	device: Phone,
	dismissal: DismissalRequest,
): Promise<void> {
	const now = context.now();
	await context.database.write(device.account_id, async (db) => {
		if ('activity_id' in dismissal) {
			if (!(await dismissActivity(db, dismissal.activity_id, device.id, now)))
				throw activityNotOnDevice();
		} else if (!(await dismissDelivery(db, device.id, dismissal.delivery_id, now))) {
			throw new Refusal(
				'not_found',
				'Delivery not found',
				'This delivery was not made to this device.',
			);
		}
	});
	if ('delivery_id' in dismissal) context.live.dismissalsChanged(device.id);
}

/** Pushes that one transaction changes: a few milliseconds that block other writes. */
const STRETCH = 1_000;

/** @returns the number of pushes changed by all stretches */
async function inStretches(
	change: (stretch: { after: number; limit: number }) => Promise<number[]>,
): Promise<number> {
	let [total, after] = [0, 0];
	for (;;) {
		const ids = await change({ after, limit: STRETCH });
		total += ids.length;
		if (ids.length < STRETCH) return total;
		after = Math.max(...ids);
	}
}

/** Dismisses every notification up to a delivery; later arrivals stay. */
export async function clearNotifications(
	context: Context,
	device: Phone,
	{ up_to: upTo }: ClearRequest,
): Promise<ClearResponse> {
	const now = context.now();
	const cleared = await inStretches((stretch) =>
		context.database.write(device.account_id, (db) =>
			dismissShownPushes(db, { deviceId: device.id, ...stretch, upTo, now }),
		),
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
	const restored = await inStretches((stretch) =>
		context.database.write(device.account_id, (db) =>
			restorePushes(db, { deviceId: device.id, ...stretch, dismissedAt: Number(undo) }),
		),
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
		countShown(db, device.id),
	]);
	return { cursor, ids, count };
}
