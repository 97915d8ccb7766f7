import { type DeclarativePushEvent, type SyncEvent, worker } from './globals.ts';
import { closeEnded, receivePush } from './push.ts';
import { answer, forgetOldShells, keepShell } from './shell.ts';
import { renewSubscription } from './subscription.ts';
import { dismissed, flushReports, SYNC_TAG, tapped } from './taps.ts';

/** The phone's service worker: the page without a network, and notifications without the page. */

worker.addEventListener('install', (event) => {
	event.waitUntil(keepShell());
	// The page tries the network first, so a new worker need not wait for old pages to close.
	void worker.skipWaiting();
});

worker.addEventListener('activate', (event) => {
	event.waitUntil(forgetOldShells().then(() => worker.clients.claim()));
});

worker.addEventListener('fetch', (event) => {
	const response = answer(event.request);
	if (response) event.respondWith(response);
});

worker.addEventListener('push', (event) => {
	event.waitUntil(
		receivePush(event as DeclarativePushEvent)
			// Also sends any reports left from earlier.
			.then(() => flushReports()),
	);
});

worker.addEventListener('notificationclick', (event) => {
	event.waitUntil(tapped(event.notification, event.action));
});

worker.addEventListener('notificationclose', (event) => {
	event.waitUntil(dismissed(event.notification));
});

worker.addEventListener('pushsubscriptionchange', (event) => {
	(event as ExtendableEvent).waitUntil(renewSubscription());
});

worker.addEventListener('sync', (event) => {
	const { tag } = event as SyncEvent;
	if (tag === SYNC_TAG) (event as SyncEvent).waitUntil(flushReports());
});

/** The page is visible: the worker does its pending work now. */
worker.addEventListener('message', (event) => {
	if ((event.data as { type?: unknown } | null)?.type !== 'opened') return;
	event.waitUntil(Promise.all([flushReports(), closeEnded()]));
});
