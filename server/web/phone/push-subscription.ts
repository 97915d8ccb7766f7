import type { DeviceClient } from '../device/device-client.ts';

/**
 * This browser's subscription, made with the server's key and registered with the server. One made with
 * another key, or that has ended, is useless and is replaced.
 * @throws DeviceError, or a DOMException if the browser's push service refuses
 */
export async function ensureSubscription(
	client: DeviceClient,
	pushManager: PushManager,
): Promise<PushSubscription> {
	const { public_key, has_ended: hasEnded } = await client.call('GET /web-push-key');
	const key = decodeBase64Url(public_key);
	let subscription = await pushManager.getSubscription();
	if (subscription && (hasEnded || !isSame(subscription.options.applicationServerKey, key))) {
		await subscription.unsubscribe();
		subscription = null;
	}
	subscription ??= await pushManager.subscribe({
		userVisibleOnly: true,
		applicationServerKey: key,
	});
	const { endpoint, keys } = subscription.toJSON();
	if (endpoint === undefined || keys?.p256dh === undefined || keys.auth === undefined)
		throw new Error('The browser created a subscription without keys');
	await client.call('PUT /tokens', {
		push_subscription: { endpoint, keys: { p256dh: keys.p256dh, auth: keys.auth } },
	});
	return subscription;
}

function isSame(a: ArrayBuffer | null, b: Uint8Array): boolean {
	const bytes = new Uint8Array(a ?? new ArrayBuffer(0));
	return bytes.length === b.length && bytes.every((byte, index) => byte === b[index]);
}

function decodeBase64Url(base64url: string): Uint8Array<ArrayBuffer> {
	const text = atob(base64url.replaceAll('-', '+').replaceAll('_', '/'));
	return Uint8Array.from(text, (character) => character.charCodeAt(0));
}
