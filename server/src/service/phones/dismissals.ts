import type {
	ClearRequest,
	ClearResponse,
	DismissalRequest,
	DismissalResponse,
	RestoreResponse,
	ShownNotifications,
} from '../../contract/device.ts';
import { HOUR_MS } from '../../durations.ts';
import { dismissActivity, restoreActivities } from '../../store/activities/activity-devices.ts';
import { otherPhones } from '../../store/phones/devices.ts';
import { endRepeats } from '../sending/repeats.ts';
import { deleteSnoozes } from '../../store/phones/snoozes.ts';
import { updateDelivery, newestDeliveryId } from '../../store/phones/inbox.ts';
import {
	dismissOnOtherPhones,
	dismissShownPushes,
	newestShownPushes,
	restorePushes,
} from '../../store/phones/shown-pushes.ts';
import { dismissEndedQuestions, questionsOnScreen } from '../../store/questions.ts';
import type { Db } from '../../store/schema.ts';
import type { Context } from '../context.ts';
import { takeOffLeftPhones } from '../activities/live.ts';
import { notFound, type Refusal } from '../refusal.ts';
import { cardsOnScreen, countShown, RECENT_PUSHES } from './inbox.ts';
import type { Device } from './pairing.ts';
import { toPreferences } from './settings.ts';

/** Refuses a report about an activity that was not started on the device. */
export function activityNotOnDevice(): Refusal {
	return notFound('Live Activity not found', 'This Live Activity was not started on this phone.');
}

/**
 * Dismisses a notification or a Live Activity: on this phone, and on the person's others if they chose that.
 * @throws Refusal `not_found` when the delivery or activity is not on this device
 */
export async function reportDismissal(
	context: Context,
	device: Device,
	dismissal: DismissalRequest,
): Promise<DismissalResponse> {
	const now = context.now();
	const isEverywhere = toPreferences(device).seen_once;
	const phones = await context.database.write(device.account_id, async (db) => {
		if ('activity_id' in dismissal) {
			const options = { isEverywhere, now };
			const dismissed = await dismissActivity(db, dismissal.activity_id, device, options);
			if (!dismissed.includes(device.id)) throw activityNotOnDevice();
			return dismissed;
		}
		const { delivery_id: id } = dismissal;
		if (!(await updateDelivery(db, device.id, id, { dismissed_at: now })))
			throw notFound('Delivery not found', 'This phone has no such delivery.');
		await endRepeats(db, device.id, [id], now);
		const others = isEverywhere ? await dismissOnOtherPhones(db, device, [id], now) : [];
		return [device.id, ...others];
	});
	for (const id of phones) context.openPages.dismissalsChanged(id);
	// The time identifies what was dismissed.
	return { success: true, undo: String(now) };
}

/** Pushes changed per transaction, which blocks other writes for a few milliseconds. */
const BATCH = 1_000;

/** @returns the number of pushes changed by all batches */
async function inBatches(change: (batch: { after: number; limit: number }) => Promise<number[]>) {
	let [total, after] = [0, 0];
	for (;;) {
		const ids = await change({ after, limit: BATCH });
		total += ids.length;
		if (ids.length < BATCH) return total;
		after = Math.max(...ids);
	}
}

/**
 * Dismisses every notification up to a delivery, and the questions that have ended; later arrivals stay. What is
 * dismissed also disappears from the person's other phones, if they chose that.
 */
export async function clearNotifications(context: Context, device: Device, request: ClearRequest) {
	const { up_to: upTo } = request;
	const now = context.now();
	const isEverywhere = toPreferences(device).seen_once;
	const changed = new Set([device.id]);
	const dismiss = (take: (db: Db) => Promise<number[]>) =>
		context.database.write(device.account_id, async (db) => {
			const ids = await take(db);
			const others = isEverywhere ? await dismissOnOtherPhones(db, device, ids, now) : [];
			for (const id of others) changed.add(id);
			await endRepeats(db, device.id, ids, now);
			return ids;
		});
	const pushes = await inBatches((batch) =>
		dismiss((db) => dismissShownPushes(db, { deviceId: device.id, ...batch, upTo, now })),
	);
	const ended = await dismiss((db) =>
		dismissEndedQuestions(db, device, { since: now - HOUR_MS, upTo, now }),
	);
	for (const id of changed) context.openPages.dismissalsChanged(id);
	// The time of the clearing identifies its notifications.
	return { cleared: pushes + ended.length, undo: String(now) } satisfies ClearResponse;
}

/** Restores what one clearing, dismissal or snooze took away, on every phone. Repeats that it ended stay ended. */
export async function undoClearing(context: Context, device: Device, undo: string) {
	const dismissedAt = Number(undo);
	const restoreOn = async (deviceId: string) => {
		const pushes = await inBatches((batch) =>
			context.database.write(device.account_id, (db) =>
				restorePushes(db, { deviceId, ...batch, dismissedAt }),
			),
		);
		const activities = await context.database.write(device.account_id, async (db) => {
			const restored = await restoreActivities(db, deviceId, dismissedAt);
			// The phone may have left their channels since.
			if (restored > 0) await takeOffLeftPhones(db, device.account_id);
			return restored;
		});
		return pushes + activities;
	};
	const restored = await restoreOn(device.id);
	context.openPages.dismissalsChanged(device.id);
	await context.database.write(device.account_id, (db) =>
		deleteSnoozes(db, device.user_id, dismissedAt),
	);
	for (const { id } of await otherPhones(context.database.read, device).execute()) {
		if ((await restoreOn(id)) > 0) context.openPages.dismissalsChanged(id);
	}
	return { restored } satisfies RestoreResponse;
}

/** The notifications and activities on the phone's lock screen, for its other open pages. */
export async function shownNotifications(context: Context, device: Device) {
	const db = context.database.read;
	// Read the cursor first: anything arriving meanwhile is then reported as a delivery.
	const cursor = await newestDeliveryId(db, device.id);
	const [ids, count, questions, activities] = await Promise.all([
		newestShownPushes(db, device.id, RECENT_PUSHES),
		countShown(context, device.id),
		questionsOnScreen(db, device, context.now() - HOUR_MS),
		cardsOnScreen(db, device.id, context.now()),
	]);
	return {
		cursor,
		ids,
		count,
		question_ids: questions.map(({ id }) => id),
		activity_ids: activities.map(({ id }) => id),
	} satisfies ShownNotifications;
}
