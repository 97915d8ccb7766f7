import type { Delivery } from '../../src/contract/device.ts';
import { deviceClient } from '../phone/device-client.ts';
import { change, load, loadSettings } from '../phone/storage.ts';
import { type DeclarativePushEvent, worker } from './globals.ts';
import { type NotificationData, notificationOf } from './notification.ts';

/** Deliveries that are remembered as shown; a push service repeats none older. */
const REMEMBERED = 200;

interface Message {
	delivery: Delivery | undefined;
	badge: number | undefined;
}

/** A message of the push service: shows its notification, unless the person sees it already. */
export async function receivePush(event: DeclarativePushEvent): Promise<void> {
	const { delivery, badge } = messageOf(event);
	if (badge !== undefined) await setBadge(badge);
	if (delivery === undefined) {
		await inTurn(() =>
			worker.registration.showNotification('Beckon', {
				body: 'Something new. Open Beckon to see it.',
				icon: '/phone/icons/icon-192.png',
				tag: 'unknown',
			}),
		);
		return;
	}
	const pages = await openPages();
	for (const page of pages) page.postMessage({ type: 'delivery', delivery });
	const isOnScreen = pages.some(({ visibilityState }) => visibilityState === 'visible');
	const sentAt = Date.parse(delivery.sent_at);
	await inTurn(async () =>
		show(delivery, isOnScreen || (await wasShown(delivery.id)), await serverNow(sentAt)),
	);
	await closeEnded(sentAt);
	await report(delivery.id);
}

/** The console is of the same origin, but no phone. */
export async function openPages(): Promise<WindowClient[]> {
	const pages = await worker.clients.matchAll({ type: 'window', includeUncontrolled: true });
	return pages.filter(({ url }) => new URL(url).pathname === '/phone');
}

function messageOf(event: DeclarativePushEvent): Message {
	try {
		const sent = event.data?.json() as
			{ app_badge?: number; notification?: { data?: Delivery } } | undefined;
		const delivery = sent?.notification?.data ?? (event.notification?.data as Delivery | undefined);
		return { delivery, badge: sent?.app_badge ?? event.appBadge ?? undefined };
	} catch {
		return { delivery: event.notification?.data as Delivery | undefined, badge: undefined };
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

/** Shown by this worker, or by the page when it was open. */
async function wasShown(id: number): Promise<boolean> {
	// A trial of the push service is in no inbox.
	if (id === 0) return false;
	const saved = await load('saved');
	if (saved && saved.state.cursor >= id) return true;
	return ((await load('shown')) ?? []).includes(id);
}

/**
 * Safari takes the subscription away from a page that lets a push pass without a notification, so
 * there even what is known is shown, without a sound.
 */
function mustShow(): boolean {
	const { userAgent } = worker.navigator;
	return userAgent.includes('AppleWebKit') && !/Chrom(e|ium)\//.test(userAgent);
}

async function show(delivery: Delivery, isKnown: boolean, now: number): Promise<void> {
	if (isKnown && !mustShow()) return;
	const settings = await loadSettings();
	const shown = notificationOf(delivery, { hasSound: settings.sound && !isKnown, now });
	if (!shown) return;
	await worker.registration.showNotification(shown.title, shown.options);
	await change('shown', (ids = []) => [...ids, delivery.id].slice(-REMEMBERED));
}

/**
 * The server's time, in milliseconds. What this device knows of it lags by the way of its snapshot,
 * and by more where its clock was set since; but nothing is received before it was sent.
 */
async function serverNow(sentAt: number): Promise<number> {
	const saved = await load('saved');
	return Math.max(Date.now() + (saved?.state.clockOffset ?? 0), sentAt);
}

/**
 * Ended Live Activities leave when their time has come; a worker wakes only for events, so at the next.
 * @param sentAt when the server sent what woke the worker
 */
export async function closeEnded(sentAt = 0): Promise<void> {
	const now = await serverNow(sentAt);
	for (const notification of await inTurn(() => worker.registration.getNotifications())) {
		const data = notification.data as NotificationData | null;
		const isOver = data?.kind === 'activity' && data.dismissAt !== null && data.dismissAt <= now;
		if (isOver) notification.close();
	}
}

/**
 * What shows notifications or lists them, one after another: Chromium forgets a notification that is
 * just being shown while another piece of work lists them.
 */
export function inTurn<T>(work: () => Promise<T>): Promise<T> {
	return worker.navigator.locks.request('notifications', work);
}

/** Tells the server that it arrived; the page does so again for what is on its lock screen. */
async function report(id: number): Promise<void> {
	const token = await load('token');
	if (token === undefined || id === 0) return;
	await deviceClient(token)
		.acknowledge([id])
		.catch(() => undefined);
}
