import type { Delivery, PushMessage } from '../../src/contract/device.ts';
import { pageClient } from '../phone/page-client.ts';
import { ownerOf } from '../device/questions.ts';
import { change, load, loadSettings } from '../phone/storage.ts';
import { inTurn } from '../phone/system-notifications.ts';
import { type DeclarativePushEvent, worker } from './globals.ts';
import { isTruncated, type NotificationData, toNotification } from './notification.ts';
import { closeShown, isWebKit, showInPlace } from './show.ts';

/** Deliveries remembered as shown; a push service repeats none older. */
const REMEMBERED = 200;

interface Message {
	delivery: Delivery | undefined;
	/** The tag of the delivery's notification. */
	tag: string;
	badge: number | undefined;
}

/** Handles a push message: shows its notification, unless the person can already see it. */
export async function receivePush(event: DeclarativePushEvent): Promise<void> {
	const { delivery, tag, badge } = readMessage(event);
	if (badge !== undefined) await setBadge(badge);
	if (delivery === undefined) {
		await inTurn(() =>
			showInPlace('Beckon', {
				body: 'Something new. Open Beckon to see it.',
				icon: '/phone/icons/icon-192.png',
				tag,
			}),
		);
		return;
	}
	// Only the system shows a push that was cut: a page gets all of it from the server.
	const pages = isTruncated(delivery) ? [] : await openPages();
	for (const page of pages) page.postMessage({ type: 'delivery', delivery });
	const isOnScreen = pages.some(({ visibilityState }) => visibilityState === 'visible');
	const sentAt = Date.parse(delivery.sent_at);
	await inTurn(async () => {
		const isKnown = isOnScreen || (await wasShown(delivery.id));
		await show(delivery, { tag, isKnown, now: await serverNow(sentAt) });
	});
	await closeEnded(sentAt);
	await report(delivery.id);
}

/** The open phone pages. The console shares the origin, but is not a phone. */
export async function openPages(): Promise<WindowClient[]> {
	const pages = await worker.clients.matchAll({ type: 'window', includeUncontrolled: true });
	return pages.filter(({ url }) => new URL(url).pathname === '/phone');
}

type Sent = Partial<Pick<PushMessage, 'app_badge' | 'notification'>>;

function readMessage(event: DeclarativePushEvent): Message {
	const sent = jsonIn(event);
	const notification = sent?.notification ?? event.notification;
	return {
		delivery: (notification?.data as Delivery | undefined) ?? undefined,
		tag: notification?.tag ?? 'unknown',
		badge: sent?.app_badge ?? event.appBadge ?? undefined,
	};
}

/** undefined: the browser has read the declarative message itself, or it is not ours. */
function jsonIn({ data }: PushEvent): Sent | undefined {
	try {
		return data?.json() as Sent | undefined;
	} catch {
		return undefined;
	}
}

async function setBadge(badge: number): Promise<void> {
	try {
		if (badge > 0) await worker.navigator.setAppBadge?.(badge);
		else await worker.navigator.clearAppBadge?.();
	} catch {
		// Only an installed app has an icon for it.
	}
}

/** True if shown by this worker, or by the page while it was open. */
async function wasShown(id: number): Promise<boolean> {
	// A push service test is in no inbox.
	if (id === 0) return false;
	const saved = await load('saved');
	if (saved && saved.state.cursor >= id) return true;
	return ((await load('shown')) ?? []).includes(id);
}

async function show(
	delivery: Delivery,
	{ tag, isKnown, now }: { tag: string; isKnown: boolean; now: number },
): Promise<void> {
	if ('push' in delivery && delivery.push.cleared) return await closeShown(tag);
	// WebKit requires a notification for every push.
	if (isKnown && !isWebKit()) return;
	const settings = await loadSettings();
	const shown = toNotification(delivery, {
		tag,
		hasSound: settings.sound && !isKnown,
		now,
		channelSounds: settings.channelSounds,
		userId: ownerOf((await load('saved'))?.state.device),
		maxActions: (Notification as { maxActions?: number }).maxActions,
	});
	if (!shown) return;
	await showInPlace(shown.title, shown.options);
	await change('shown', (ids = []) => [...ids, delivery.id].slice(-REMEMBERED));
}

/**
 * The server's time, in milliseconds. This device's estimate lags by its snapshot's transit time, and by
 * more if its clock was set since; but nothing is received before it was sent.
 */
async function serverNow(sentAt: number): Promise<number> {
	const saved = await load('saved');
	return Math.max(Date.now() + (saved?.state.clockOffset ?? 0), sentAt);
}

/**
 * Closes ended Live Activities whose time has come. A worker wakes only for events, so this happens at
 * the next one.
 * @param sentAt when the server sent the message that woke the worker
 */
export async function closeEnded(sentAt = 0): Promise<void> {
	const now = await serverNow(sentAt);
	for (const notification of await inTurn(() => worker.registration.getNotifications())) {
		const data = notification.data as NotificationData | null;
		const isOver = data?.kind === 'activity' && data.dismissAt !== null && data.dismissAt <= now;
		if (isOver) notification.close();
	}
}

/** Acknowledges the delivery; the page does so again for those on its lock screen. */
async function report(id: number): Promise<void> {
	const token = await load('token');
	if (token === undefined || id === 0) return;
	await pageClient(token)
		.call('POST /acknowledge', { deliveries: [id] })
		.catch(() => undefined);
}
