import { type DeviceClient, DeviceError } from '../device/device-client.ts';
import { ensureSubscription } from './push-subscription.ts';
import { closeNotifications } from './system-notifications.ts';

/**
 * The state of notifications while the page is closed.
 * - `unsupported`, `insecure` (no HTTPS), `needs-install` (iOS): impossible here, and why
 * - `ask`: the person has not been asked; `denied`: has refused
 * - `off`: allowed, but not switched on; `failed`: the browser's push service refuses
 */
export type PushState =
	| {
			kind:
				'checking' | 'unsupported' | 'insecure' | 'needs-install' | 'ask' | 'denied' | 'off' | 'on';
	  }
	| { kind: 'failed'; message: string };

/** The browser's properties that decide the push state. */
export interface PushEnvironment {
	isSecure: boolean;
	hasPush: boolean;
	isIos: boolean;
	isInstalled: boolean;
	permission: NotificationPermission | undefined;
}

/** The state before anything is tried. */
export function toPushState(environment: PushEnvironment): PushState {
	const { isSecure, hasPush, isIos, isInstalled, permission } = environment;
	if (!isSecure) return { kind: 'insecure' };
	if (!hasPush || permission === undefined)
		return { kind: isIos && !isInstalled ? 'needs-install' : 'unsupported' };
	if (permission === 'denied') return { kind: 'denied' };
	return { kind: permission === 'granted' ? 'off' : 'ask' };
}

export function pushEnvironment(): PushEnvironment {
	return {
		isSecure: window.isSecureContext,
		hasPush: 'serviceWorker' in navigator && 'PushManager' in window,
		isIos: isIos(),
		isInstalled: isInstalled(),
		permission: 'Notification' in window ? Notification.permission : undefined,
	};
}

/** iPads claim to be Macs, but no Mac has a touch screen. */
function isIos(): boolean {
	const { userAgent, maxTouchPoints } = navigator;
	return /iPhone|iPad|iPod/.test(userAgent) || (/Macintosh/.test(userAgent) && maxTouchPoints > 1);
}

/** True if opened from the home screen or as an app, not in a tab. */
export function isInstalled(): boolean {
	const isStandalone = 'standalone' in navigator && navigator.standalone === true;
	return isStandalone || matchMedia('(display-mode: standalone)').matches;
}

/** Shows the browser's permission prompt; call only from a tap. */
export async function askForPush(): Promise<void> {
	// The decision is read from the environment afterwards, even if the browser could not ask.
	await Notification.requestPermission().catch(() => undefined);
}

/**
 * Subscribes, or checks that the subscription is still good. The permission must be granted.
 * @returns `ask`: needs a tap
 */
export async function startPush(client: DeviceClient): Promise<PushState> {
	try {
		const { pushManager } = await navigator.serviceWorker.ready;
		await ensureSubscription(client, pushManager);
		return { kind: 'on' };
	} catch (error) {
		// Safari lets a page subscribe only in answer to a tap.
		if (error instanceof DOMException && error.name === 'NotAllowedError') return { kind: 'ask' };
		const message =
			error instanceof DeviceError
				? error.message
				: 'Could not reach this browser’s push service. Try again later.';
		return { kind: 'failed', message };
	}
}

/** Ends the subscription in the browser. */
export async function unsubscribe(): Promise<void> {
	if (!('serviceWorker' in navigator)) return;
	try {
		const registration = await navigator.serviceWorker.getRegistration('/phone');
		await (await registration?.pushManager?.getSubscription())?.unsubscribe();
		await closeNotifications(registration);
	} catch {
		// The push service cannot be reached; the server's next message will find the phone gone.
	}
}
