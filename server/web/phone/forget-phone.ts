import { showAppBadge } from './app-badge.ts';
import { unsubscribe } from './push-registration.ts';
import { forget } from './storage.ts';

/** This browser is no phone any more: nothing of it stays, and nothing comes to it. */
export async function forgetPhone(): Promise<void> {
	await forget('token', 'saved', 'shown', 'reports');
	await unsubscribe();
	showAppBadge(0);
}
