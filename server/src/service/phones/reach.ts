import type { Reach } from '../../contract/reach.ts';
import type { DeviceRow } from '../../store/schema.ts';
import type { Context } from '../context.ts';

type Reachable = Pick<
	DeviceRow,
	'id' | 'status' | 'platform' | 'push_token' | 'push_subscription_json'
>;

/** The way a push currently reaches the device; `open` if its page is connected to this process. */
export function toReach(context: Context, device: Reachable): Reach {
	if (device.status !== 'active') return 'disconnected';
	if (context.openPages.isConnected(device.id)) return 'open';
	return whyNothingWakes(context, device) === undefined ? 'push' : 'while_open';
}

/** The reason no push service can wake the device, with a remedy; undefined if one can. */
export function whyNothingWakes(
	{ settings }: Context,
	{ platform, push_token: token, push_subscription_json: subscription }: Reachable,
): string | undefined {
	if (platform === 'web') {
		if (subscription !== null) return undefined;
		return 'Notifications are off on this phone. Open its page and turn them on.';
	}
	if (!settings.pushesToIphones)
		return 'This server has no key for Apple’s push service. Set BECKON_APNS_KEY_FILE.';
	if (token !== null) return undefined;
	return 'The app has not registered for push yet. Open it once.';
}
