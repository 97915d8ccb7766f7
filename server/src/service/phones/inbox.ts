import type {
	Delivery,
	DeviceHistory,
	DeviceHistoryQuery,
	Inbox,
	Snapshot,
	WholeMessage,
} from '../../contract/device.ts';
import type { Notification } from '../../contract/shown.ts';
import { HOUR_MS } from '../../durations.ts';
import { shownDelivery, toNotification } from '../../delivery/message-content.ts';
import { activitiesOnScreen } from '../../store/activities/activities.ts';
import { listMetrics } from '../../store/metrics.ts';
import { deviceById } from '../../store/phones/devices.ts';
import {
	acknowledge,
	deliveryHistory,
	inboxAfter,
	type InboxEntry,
	newestDeliveryId,
	recentPushes,
} from '../../store/phones/inbox.ts';
import { countShownPushes } from '../../store/phones/shown-pushes.ts';
import { questionsOnScreen } from '../../store/questions.ts';
import type { Db } from '../../store/schema.ts';
import { pushOfDelivery } from '../../store/outbox/delivered.ts';
import { type Context, isoTime, type SetContext } from '../context.ts';
import { shownMetric } from '../metrics.ts';
import { loadQuestions, loadWhyNot } from '../questions/question.ts';
import { notFound } from '../refusal.ts';
import { loadStillReached } from '../sending/audience.ts';
import { shownActivity, toChannels, toContent } from '../shown/content.ts';
import { type Device, shownDevice } from './pairing.ts';
import { toPreferences } from './settings.ts';

/** Pushes shown on a lock screen after a reload. */
export const RECENT_PUSHES = 50;

function toDelivery(entry: InboxEntry): Delivery {
	const { id, muted, held, push_delivery_id: push } = entry;
	const flags = { isMuted: muted === 1, isHeld: held > 0 };
	return shownDelivery({ id, ...flags, pushDeliveryId: push ?? undefined }, entry);
}

/** The device's deliveries after `after`, oldest first. */
export async function readInbox(
	context: Context,
	device: Device,
	{ after, limit }: { after: number; limit: number },
): Promise<Inbox> {
	const part = { deviceId: device.id, after, limit: limit + 1 };
	const entries = await inboxAfter(context.database.read, part);
	const deliveries = entries.slice(0, limit).map(toDelivery);
	return { deliveries, cursor: deliveries.at(-1)?.id ?? after, more: entries.length > limit };
}

/** A push on the lock screen. */
const onScreen = (entry: InboxEntry) => ({
	id: entry.id,
	sent_at: isoTime(entry.created_at),
	...(entry.held > 0 && { held: true as const }),
	push: toNotification(entry),
});

/** The questions on the lock screen, with the reason why this phone may not answer one. */
async function questionsShown(db: Db, device: Device, since: number) {
	const shown = (await questionsOnScreen(db, device, since)).map(onScreen);
	const ids = shown.flatMap(({ push: { question } }) =>
		question?.status === 'open' ? [question.question_id] : [],
	);
	if (ids.length === 0) return shown;
	const { account_id: accountId, user_id: userId, id: deviceId } = device;
	const open = await loadQuestions(db, accountId, { ids, limit: ids.length });
	const refusalOf = await loadWhyNot(db, open, { userId, deviceId });
	const refusals = new Map(open.map((question) => [question.row.id, refusalOf(question)]));
	return shown.map(({ push, ...entry }) => {
		const { question } = push;
		const why_not = question && refusals.get(question.question_id);
		return { ...entry, push: { ...push, ...(why_not && { question: { ...question, why_not } }) } };
	});
}

/** The Live Activities on a phone. One whose channels the phone has left is hidden, though stored until it rotates. */
export async function cardsOnScreen(db: Db, deviceId: string, now: number) {
	const cards = await activitiesOnScreen(db, deviceId, now);
	const isReached = await loadStillReached(db, cards.length > 0 ? [deviceId] : []);
	return cards.filter((card) => isReached(deviceId, toChannels(card)));
}

/** The current content of the lock screen, and the cursor after which changes follow. */
export async function readSnapshot(context: Context, device: Device): Promise<Snapshot> {
	const db = context.database.read;
	const now = context.now();
	// Read the cursor first: anything arriving meanwhile is then delivered twice rather than missed.
	const cursor = await newestDeliveryId(db, device.id);
	const [row, pushes, count, questions, activities, metrics] = await Promise.all([
		deviceById(db, device.account_id, device.id),
		recentPushes(db, device.id, RECENT_PUSHES),
		countShown(context, device.id),
		questionsShown(db, device, now - HOUR_MS),
		cardsOnScreen(db, device.id, now),
		listMetrics(db, { accountId: device.account_id }),
	]);
	return {
		device: shownDevice(device),
		server_time: isoTime(now),
		cursor,
		badge: row?.badge ?? device.badge,
		notifications: pushes.map(onScreen),
		notification_count: count,
		questions,
		activities: activities.map((activity) => shownActivity(activity, now, toContent(activity))),
		metrics: metrics.map(shownMetric),
		preferences: toPreferences(device),
	};
}

/** @returns the number of ids that belong to the device */
export function acknowledgeDeliveries(context: Context, device: Device, ids: readonly number[]) {
	return context.inSets(acknowledgeSet)(device.account_id, { device, ids });
}

interface Acknowledgement {
	device: Device;
	ids: readonly number[];
}

/** Deliveries after which a set takes no more acknowledgements: storing them takes a few milliseconds. */
const ENOUGH_ACKNOWLEDGED = 500;

/** One statement for all: thousands of open pages acknowledge the same push at once. */
async function acknowledgeSet(db: Db, context: SetContext, all: readonly Acknowledgement[]) {
	const acknowledged_at = context.now();
	const batch: Acknowledgement[] = [];
	let count = 0;
	for (const acknowledgement of all) {
		if (count >= ENOUGH_ACKNOWLEDGED) break;
		batch.push(acknowledgement);
		count += acknowledgement.ids.length;
	}
	const rows = batch.flatMap(({ device, ids }) =>
		ids.map((id) => ({ id, device_id: device.id, acknowledged_at })),
	);
	const owners = new Map((await acknowledge(db, rows)).map((row) => [row.id, row.device_id]));
	return batch.map(({ device, ids }) => ({
		result: ids.filter((id) => owners.get(id) === device.id).length,
	}));
}

/** Stretches that one request searches; the phone then asks whether to continue. */
const STRETCHES = 1_000;

/**
 * The deliveries a phone has received, newest first, one page at a time; its lock screen shows only recent
 * ones. A search with few matches stops after a bounded distance: the page is then short or empty, and
 * `before` continues from there.
 */
export async function readDeviceHistory(
	context: Context,
	device: Device,
	{ before, limit, ...filter }: DeviceHistoryQuery,
): Promise<DeviceHistory> {
	const deliveries: Delivery[] = [];
	let next: number | undefined = before;
	for (let stretch = 0; stretch < STRETCHES; stretch += 1) {
		const page = await context.database.readInTurn((db) =>
			deliveryHistory(db, device.id, { before: next, ...filter, limit: limit - deliveries.length }),
		);
		deliveries.push(...page.entries.map(toDelivery));
		next = page.next;
		if (next === undefined || deliveries.length === limit) break;
	}
	return { deliveries, before: next ?? null };
}

/**
 * GET /device/deliveries/{delivery_id}/message: the whole message of a push.
 * @throws Refusal `not_found` when this phone has no such push
 */
export async function readMessage({ database }: Context, device: Device, id: number) {
	const push = await pushOfDelivery(database.read, device.id, id);
	if (!push) throw notFound('Notification not found', 'This phone has no such notification.');
	const { message = '' } = JSON.parse(push.content_json) as Notification;
	return { message } satisfies WholeMessage;
}

/** Pushes counted per query, which blocks everything else for a quarter of a millisecond. */
const BATCH = 2_000;

/** The number of pushes on a phone's lock screen; other work gets its turn while many are counted. */
export async function countShown({ database }: Context, deviceId: string): Promise<number> {
	let [total, after] = [0, 0];
	for (;;) {
		const batch = { deviceId, after, limit: BATCH };
		const count = (db: Db) => countShownPushes(db, batch);
		const found = await (after === 0 ? count(database.read) : database.readInTurn(count));
		total += found.count;
		if (found.count < BATCH) return total;
		after = found.last;
	}
}
