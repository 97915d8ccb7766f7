import type { PushSubscription, TokensRequest, WebPushKey } from '../../contract/device.ts';
import { isUsable } from '../../delivery/webpush/encrypt.ts';
import { loadVapidKeys } from '../../delivery/webpush/vapid.ts';
import { setPushTokens } from '../../store/phones/devices.ts';
import { setWidgetTokens } from '../../store/phones/widget-reloads.ts';
import type { Context } from '../context.ts';
import { invalidField } from '../refusal.ts';
import { unsubscribedAt } from './devices.ts';
import type { Device } from './pairing.ts';

/**
 * Stores the device's push tokens or subscription; omitted ones are kept.
 * @throws Refusal `invalid` for an unusable browser subscription
 */
export async function registerTokens(context: Context, device: Device, request: TokensRequest) {
	const { push_subscription: subscription, widget_token: widgetToken, app, ...tokens } = request;
	if (subscription) requireUsableSubscription(context, subscription);
	await context.database.write(device.account_id, async (db) => {
		const registered = {
			...tokens,
			...(subscription !== undefined && {
				push_subscription_json: subscription && JSON.stringify(subscription),
			}),
			...(app !== undefined && { app_json: app && JSON.stringify(app) }),
		};
		await setPushTokens(db, device.id, registered, context.now());
		if (widgetToken === undefined) return;
		const { id: device_id, account_id } = device;
		await setWidgetTokens(db, [{ device_id, account_id, token: widgetToken, attempts: 0 }]);
	});
}

function requireUsableSubscription(context: Context, { endpoint, keys }: PushSubscription): void {
	if (!endpoint.startsWith('https:') && !context.settings.allowPrivatePushServices)
		throw invalidField('push_subscription.endpoint', 'must be an https URL');
	if (!isUsable(keys))
		throw invalidField('push_subscription.keys', 'must be the p256dh and auth keys of the browser');
}

/** The key a browser needs to subscribe to Web Push, and whether the phone's last subscription has ended. */
export async function webPushKey(context: Context, device?: Device): Promise<WebPushKey> {
	const { publicKey } = await loadVapidKeys(context.database);
	const hasEnded = device !== undefined && unsubscribedAt(device) !== null;
	return { public_key: publicKey, ...(hasEnded && { has_ended: true }) };
}
