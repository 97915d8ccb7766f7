import type { SnoozeRequest, TapRequest } from '../../src/contract/device.ts';
import type { Button } from '../../src/contract/shown.ts';
import { keepReport, sendReports, type TapResult } from '../phone/reports.ts';
import { safeLink } from '../device/safe-url.ts';
import type { TappedNotification } from '../phone/storage.ts';
import { inTurn } from '../phone/system-notifications.ts';
import { ownTimeZone } from '../device/times.ts';
import { uuid } from '../phone/uuid.ts';
import { type SyncRegistration, worker } from './globals.ts';
import { type ActivityAction, type NotificationData, SNOOZE } from './notification.ts';
import { openPages } from './push.ts';
import { isReplaced, showInPlace } from './show.ts';
import { resultNotification } from './tap-result.ts';

export const SYNC_TAG = 'reports';

/** Handles a tap on a notification or one of its buttons. */
export async function tapped(notification: Notification, action: string): Promise<void> {
	const data = notification.data as NotificationData | null;
	if (data?.kind !== 'activity') notification.close();
	if (data?.kind === 'push' && action.startsWith(SNOOZE)) {
		await snooze(data.id, action.slice(SNOOZE.length) as SnoozeRequest['until']);
		return;
	}
	if (data?.kind === 'push' && data.question && action !== '') {
		await answer(data.question, action, asTapped(notification));
		return;
	}
	const tap = data && action !== '' ? findButton(data, action) : undefined;
	if (!tap) {
		const target = data?.kind === 'push' ? data.target : undefined;
		await open(action === '' ? target : undefined);
		return;
	}
	const { button, request } = tap;
	await keepReport({
		kind: 'tap',
		request,
		title: button.title,
		notification: asTapped(notification),
	});
	// Opening comes first: a browser allows it only briefly after the tap.
	if (button.type === 'open_url') await open(button.url);
	await flushReports();
}

async function answer(
	{ id, choices }: NonNullable<(NotificationData & { kind: 'push' })['question']>,
	action: string,
	notification: TappedNotification,
): Promise<void> {
	const choice = choices[Number(action)];
	if (!choice) return;
	const request = { tap_id: uuid(), choice: choice.id };
	const { title } = choice;
	await keepReport({ kind: 'answer', questionId: id, request, title, notification });
	await flushReports();
}

async function snooze(id: number, until: SnoozeRequest['until']): Promise<void> {
	const request = { delivery_id: id, until, time_zone: ownTimeZone() };
	await keepReport({ kind: 'snooze', request });
	for (const page of await openPages()) page.postMessage({ type: 'dismissed', delivery_id: id });
	await flushReports();
}

/** The person has swiped it away, so it leaves the lock screen too. */
export async function dismissed(notification: Notification): Promise<void> {
	const data = notification.data as NotificationData | null;
	if (!data || (await isReplaced(data))) return;
	const request =
		data.kind === 'push' ? { delivery_id: data.id } : { activity_id: data.activityId };
	await keepReport({ kind: 'dismissal', request });
	for (const page of await openPages()) page.postMessage({ type: 'dismissed', ...request });
	await flushReports();
}

/** Sends the kept reports; without a network, the browser wakes the worker once there is one. */
export async function flushReports(): Promise<void> {
	const { results, isDone } = await sendReports();
	for (const result of results) await sayResult(result);
	if (isDone) return;
	try {
		await (worker.registration as SyncRegistration).sync?.register(SYNC_TAG);
	} catch {
		// Not allowed: the next push and the next opening of the page try again.
	}
}

function asTapped(notification: Notification): TappedNotification {
	const { title, icon, tag } = notification;
	// Safari has no buttons on notifications.
	const { actions = [] } = notification as Partial<Pick<TappedNotification, 'actions'>>;
	return {
		title,
		icon,
		tag,
		data: notification.data as unknown,
		// A result is about the tap, so it is not snoozed.
		actions: actions
			.filter(({ action }) => !action.startsWith(SNOOZE))
			.map(({ action, title }) => ({ action, title })),
	};
}

/** Shows a tap's result in place of the notification that the tap closed. */
async function sayResult(result: TapResult): Promise<void> {
	const shown = resultNotification(result, Date.now());
	if (!shown) return;
	await inTurn(() => showInPlace(shown.title, shown.options));
}

function findButton(
	data: NotificationData,
	action: string,
): { button: Button; request: TapRequest } | undefined {
	const tap_id = uuid();
	if (data.kind === 'push') {
		const index = Number(action);
		const button = data.buttons[index];
		return button && { button, request: { tap_id, delivery_id: data.id, action: index } };
	}
	const name = action as ActivityAction;
	const button = data.buttons[name];
	const { activityId: activity_id, updatedAt: updated_at } = data;
	const request = { tap_id, activity_id, action: name, ...(updated_at && { updated_at }) };
	return button && { button, request };
}

/** Opens a web page in its own tab; any other link waits for a tap on the phone page. */
async function open(url: string | undefined): Promise<void> {
	const link = safeLink(url);
	if (link?.isWeb) await worker.clients.openWindow(link.href);
	else await openPhone();
}

async function openPhone(): Promise<void> {
	const [page] = await openPages();
	if (page) await page.focus();
	else await worker.clients.openWindow('/phone');
}
