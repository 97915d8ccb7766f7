/** The page and its service worker: keeping the newest version, and talking to each other. */

const SCRIPT = '/phone/sw.js';

/** What the worker tells the page. */
export type WorkerMessage =
	| { type: 'delivery'; delivery: unknown }
	| { type: 'dismissed'; delivery_id?: number; activity_id?: string };

/**
 * Registers the worker. When a newer version has taken over, the page loads itself anew the next time
 * that nobody looks at it.
 */
export function registerWorker(): void {
	if (!('serviceWorker' in navigator)) return;
	const { serviceWorker } = navigator;
	let isOutdated = false;
	// The first worker of all brings nothing newer than the page that registered it.
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

/** @returns how to stop */
export function onWorkerMessage(listener: (message: WorkerMessage) => void): () => void {
	if (!('serviceWorker' in navigator)) return () => undefined;
	const receive = (event: MessageEvent) => listener(event.data as WorkerMessage);
	navigator.serviceWorker.addEventListener('message', receive);
	return () => navigator.serviceWorker.removeEventListener('message', receive);
}

/**
 * The person looks at the page, which shows what there is: the system's notifications go, and the
 * worker does what has waited.
 */
export async function pageOpened(): Promise<void> {
	if (!('serviceWorker' in navigator)) return;
	const registration = await navigator.serviceWorker.getRegistration('/phone');
	for (const notification of (await registration?.getNotifications?.()) ?? []) notification.close();
	registration?.active?.postMessage({ type: 'opened' });
}
