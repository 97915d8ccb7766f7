import { showAppBadge } from './app-badge.ts';
import { forgetCards } from './card-memory.ts';
import { unsubscribe } from './push-registration.ts';
import { forget } from './storage.ts';

/** Deletes the phone's stored data, push subscription and badge from this browser. */
export async function forgetPhone(): Promise<void> {
	await forget('token', 'saved', 'shown', 'reports', 'history', 'cards', 'trends');
	forgetCards();
	await unsubscribe();
	showAppBadge(0);
}
