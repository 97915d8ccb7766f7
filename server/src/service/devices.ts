import {
	type Delivery,
	type Device,
	type DismissalRequest,
	type Inbox,
	PAIR_CODE_MINUTES,
	type PairRequest,
	type PushSubscription,
	type Snapshot,
	type TokensRequest,
	type WebPushKey,
} from '../contract/device.ts';
import type { Notification } from '../contract/shown.ts';
import type { LiveChange } from '../delivery/live.ts';
import { shownDelivery } from '../delivery/shown.ts';
import { isUsable } from '../delivery/webpush/encrypt.ts';
import { vapidKeysOf } from '../delivery/webpush/vapid.ts';
import { activitiesOnScreen } from '../store/activities/activities.ts';
import { dismissActivity } from '../store/activities/activity-devices.ts';
import { takePairCode } from '../store/phones/pair-codes.ts';
import {
	activeDeviceByTokenHash,
	deviceById,
	type DeviceWithNames,
	insertDevice,
	markDisconnected,
	markSeen,
	setPushTokens,
	statusOfDevice,
} from '../store/phones/devices.ts';
import {
	acknowledge,
	dismissDelivery,
	inboxAfter,
	type InboxEntry,
	newestDeliveryId,
	recentPushes,
} from '../store/phones/inbox.ts';
import { listMetrics } from '../store/metrics/metrics.ts';
import { setWidgetToken } from '../store/phones/widget-reloads.ts';
import { shownActivity } from './activities/shown.ts';
import { type Context, isoTime } from './context.ts';
import { shownMetric } from './metrics.ts';
import { invalidRequest, Refusal } from './refusal.ts';
import { hashOf, newDeviceToken, newId } from './secrets.ts';
import { countShown } from './shown-count.ts';

/** Pushes shown on a lock screen after a reload. */
export const RECENT_PUSHES = 50;

export type { LiveChange };

/** A paired phone, as its requests know it. */
export type Phone = DeviceWithNames;

function shownDevice(device: Phone): Device {
	return {
		id: device.id,
		name: device.name,
		platform: device.platform,
		user: { name: device.user_name },
		account: { name: device.account_name },
	};
}

/**
 * Pairs a phone by a one-time code.
 * @returns the device and its token, which is never shown again
 * @throws Refusal `not_found` when the code is unknown, used or expired
 */
export async function pair(
	context: Context,
	request: PairRequest,
): Promise<{ device: Device; token: string }> {
	const token = newDeviceToken();
	const now = context.now();
	const device = await context.database.write(null, async (db) => {
		const code = await takePairCode(db, hashOf(request.code), now);
		if (!code) {
			throw new Refusal(
				'not_found',
				'Pairing code not found',
				`This pairing code is wrong, was used already, or is older than ${PAIR_CODE_MINUTES} minutes. Ask for a new one.`,
			);
		}
		await insertDevice(db, {
			id: code.device_id ?? newId('dev'),
			account_id: code.account_id,
			user_id: code.user_id,
			name: request.name,
			platform: request.platform,
			token_hash: hashOf(token),
			status: 'active',
			push_token: request.push_token ?? null,
			push_registered_at: request.push_token === undefined ? null : now,
			push_to_start_token: request.push_to_start_token ?? null,
			badge: 0,
			paired_at: now,
			last_seen_at: now,
		});
		return activeDeviceByTokenHash(db, hashOf(token));
	});
	if (!device) throw new Error('A device that was stored just now is not there');
	context.live.accountChanged(device.account_id);
	return { device: shownDevice(device), token };
}

/**
 * Finds the device with this token.
 * @throws Refusal `unauthorized` for an unknown token or a disconnected device
 */
export async function deviceOfToken(context: Context, token: string): Promise<Phone> {
	const device = await activeDeviceByTokenHash(context.database.read, hashOf(token));
	if (!device) {
		throw new Refusal(
			'unauthorized',
			'Unauthorized',
			'This phone is not paired, or was disconnected. Pair it again.',
		);
	}
	context.lastUsed.note(device.id, device.last_seen_at, (db, now) => markSeen(db, device.id, now));
	return device;
}

export function deliveryOf(entry: InboxEntry): Delivery {
	const { id, muted, push_delivery_id: pushDeliveryId } = entry;
	return shownDelivery({ id, isMuted: muted === 1, pushDeliveryId }, entry);
}

/** The device's deliveries after `after`, oldest first. */
export async function readInbox(
	context: Context,
	device: Phone,
	{ after, limit }: { after: number; limit: number },
): Promise<Inbox> {
	const entries = await inboxAfter(context.database.read, {
		deviceId: device.id,
		after,
		limit: limit + 1,
	});
	const deliveries = entries.slice(0, limit).map(deliveryOf);
	return { deliveries, cursor: deliveries.at(-1)?.id ?? after, more: entries.length > limit };
}

/** The current content of the lock screen, and the cursor after which changes follow. */
export async function readSnapshot(context: Context, device: Phone): Promise<Snapshot> {
	const db = context.database.read;
	const now = context.now();
	// Read the cursor first: anything arriving meanwhile is then delivered twice rather than missed.
	const cursor = await newestDeliveryId(db, device.id);
	const [row, pushes, count, activities, metrics] = await Promise.all([
		deviceById(db, device.account_id, device.id),
		recentPushes(db, device.id, RECENT_PUSHES),
		countShown(db, device.id),
		activitiesOnScreen(db, device.id, now),
		listMetrics(db, device.account_id),
	]);
	return {
		device: shownDevice(device),
		server_time: isoTime(now),
		cursor,
		badge: row?.badge ?? device.badge,
		notifications: pushes.map((entry) => ({
			id: entry.id,
			sent_at: isoTime(entry.created_at),
			push: JSON.parse(entry.content_json) as Notification,
		})),
		notification_count: count,
		activities: activities.map((activity) => shownActivity(activity, now)),
		metrics: metrics.map(shownMetric),
	};
}

/** @returns the number of ids that belong to the device */
export function acknowledgeDeliveries(
	context: Context,
	device: Phone,
	ids: readonly number[],
): Promise<number> {
	return context.database.write(device.account_id, (db) =>
		acknowledge(db, device.id, ids, context.now()),
	);
}

/**
 * Stores the device's push tokens or subscription; omitted ones are kept.
 * @throws Refusal `invalid` for an unusable browser subscription
 */
export async function registerTokens(
	context: Context,
	device: Phone,
	{ push_subscription: subscription, widget_token: widgetToken, ...tokens }: TokensRequest,
): Promise<void> {
	if (subscription) assertUsableSubscription(context, subscription);
	await context.database.write(device.account_id, async (db) => {
		const reached = {
			...tokens,
			...(subscription !== undefined && {
				push_subscription_json: subscription && JSON.stringify(subscription),
			}),
		};
		await setPushTokens(db, device.id, reached, context.now());
		if (widgetToken !== undefined) await setWidgetToken(db, device, widgetToken);
	});
}

function assertUsableSubscription(context: Context, { endpoint, keys }: PushSubscription): void {
	const wrong = (path: string, message: string) =>
		invalidRequest([{ path: `push_subscription.${path}`, message }]);
	if (!endpoint.startsWith('https:') && !context.settings.allowPrivatePushServices)
		throw wrong('endpoint', 'must be an https URL');
	if (!isUsable(keys)) throw wrong('keys', 'must be the p256dh and auth keys of the browser');
}

/** The key a browser needs to subscribe to Web Push. */
export async function webPushKey(context: Context): Promise<WebPushKey> {
	return { public_key: (await vapidKeysOf(context.database)).publicKey };
}

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

/** Unpairs the phone at its user's request, which invalidates its token. */
export async function disconnect(context: Context, device: Phone): Promise<void> {
	await context.database.write(device.account_id, (db) => markDisconnected(db, device.id));
	context.live.inboxChanged(device.id);
}

export async function isPaired(context: Context, device: Phone): Promise<boolean> {
	const [row] = await statusOfDevice(context.database.read, device.id);
	return row?.status === 'active';
}

/** Notifies when the phone has something new to read. @returns a function that stops it */
export function follow(
	context: Context,
	device: Phone,
	notify: (change: LiveChange) => void,
): () => void {
	return context.live.subscribe({ deviceId: device.id, accountId: device.account_id, notify });
}
