/** The page's side of the service worker: keeps the newest version, and exchanges messages. */

import { closeNotifications } from './system-notifications.ts';

const SCRIPT = '/phone/sw.js';

/** A message from the worker to the page. */
export type WorkerMessage =
	| { type: 'delivery'; delivery: unknown }
	| { type: 'dismissed'; delivery_id?: number; activity_id?: string };

/** Registers the worker. Once a newer version has taken over, the page reloads the next time it is hidden. */
export function registerWorker(): void {
	if (!('serviceWorker' in navigator)) return;
	const { serviceWorker } = navigator;
	let isOutdated = false;
	// The first worker brings nothing newer than the page that registered it.
	let hadController = serviceWorker.controller !== null;
	serviceWorker.addEventListener('controllerchange', () => {
		isOutdated = hadController;
		hadController = true;
		if (isOutdated && document.hidden) location.reload();
	});
	serviceWorker
		.register(SCRIPT, { scope: '/phone', updateViaCache: 'none' })
		.then((registration) => {
			document.addEventListener('visibilitychange', () => {
				if (isOutdated) location.reload();
				else if (!document.hidden) void registration.update().catch(() => undefined);
			});
		})
		.catch((error: unknown) => console.info('Beckon: no service worker', error));
}

/** @returns a function that stops it */
export function onWorkerMessage(listener: (message: WorkerMessage) => void): () => void {
	if (!('serviceWorker' in navigator)) return () => undefined;
	const receive = (event: MessageEvent) => listener(event.data as WorkerMessage);
	navigator.serviceWorker.addEventListener('message', receive);
	return () => navigator.serviceWorker.removeEventListener('message', receive);
}

/**
 * Call when the page becomes visible: closes the system's notifications and has the worker do its
 * pending work.
 */
export async function pageOpened(): Promise<void> {
	if (!('serviceWorker' in navigator)) return;
	const registration = await navigator.serviceWorker.getRegistration('/phone');
	await closeNotifications(registration);
	registration?.active?.postMessage({ type: 'opened' });
}
