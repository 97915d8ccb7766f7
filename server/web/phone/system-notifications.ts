/** The system's notifications, which the worker shows, and pages close. */

/**
 * Serializes work that shows or lists notifications, across the worker and all pages: Chromium forgets
 * a notification that is being shown while other work lists them.
 */
export function inTurn<T>(work: () => Promise<T>): Promise<T> {
	return navigator.locks.request('notifications', work);
}

export async function closeNotifications(
	registration: ServiceWorkerRegistration | undefined,
): Promise<void> {
	await inTurn(async () => {
		for (const notification of (await registration?.getNotifications?.()) ?? [])
			notification.close();
	});
}
