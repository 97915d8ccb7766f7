import { type Gateway, isTaken } from '../delivery/gateway.ts';
import { testDelivery } from '../delivery/test-delivery.ts';
import { listAccountDevices } from '../service/phones/devices.ts';
import { findAccount } from '../service/accounts/accounts.ts';
import type { Context } from '../service/context.ts';
import { webPushKey } from '../service/phones/push-tokens.ts';
import { conflict } from '../service/refusal.ts';
import { dataCommand, group, optional, type Values } from './commands.ts';

const ON_DEVICE = {
	account: optional('--account <account>', 'account of the device'),
	device: optional('--device <device>', 'send a test push to this device, by name or id'),
};

const failed = (message: string) => conflict('Check failed', message);

/** Sends a test push to the gateway, bypassing inbox and outbox. @throws Refusal if not taken */
async function tryOn(
	context: Context,
	gateway: Gateway,
	options: Values<typeof ON_DEVICE>,
): Promise<void> {
	if (options.account === undefined) throw failed('Name the account of the device with --account.');
	const { id } = await findAccount(context, options.account);
	const devices = await listAccountDevices(context, id);
	const device = devices.find(
		(entry) => options.device === entry.id || options.device === entry.name,
	);
	if (!device) throw failed(`This account has no device ${options.device ?? ''}.`);
	const isRegistered =
		device.platform === 'ios' ? device.push_token !== null : device.push_subscription_json !== null;
	if (!isRegistered) throw failed(`${device.name} has not registered for push yet. Open it once.`);
	const outcome = await gateway.deliver(testDelivery(device, context.now()));
	if (!isTaken(outcome)) throw failed(`The push service did not accept it: ${outcome.reason}.`);
}

const apns = dataCommand("ask Apple's push service whether the settings are right", {
	options: {
		...ON_DEVICE,
		sandbox: optional<boolean>('--sandbox', 'the service for apps started from Xcode'),
	},
	run: async (context, options, _config, { apns: gateway }) => {
		if (!gateway) {
			throw failed(
				'Push to iPhones is not set up: set BECKON_APNS_KEY_FILE, BECKON_APNS_KEY_ID, BECKON_APNS_TEAM_ID and BECKON_APNS_BUNDLE_ID.',
			);
		}
		if (options.device !== undefined) {
			await tryOn(context, gateway, options);
			return {
				json: { ok: true },
				lines: [
					'A test push was handed to Apple’s push service. The phone shows it when it is reached.',
				],
			};
		}
		const wrong = await gateway
			.check(options.sandbox ? 'sandbox' : 'production')
			.catch((error: unknown) => {
				throw failed(`Could not reach APNs: ${error instanceof Error ? error.message : ''}`);
			});
		if (wrong !== undefined) throw failed(wrong);
		return { json: { ok: true }, lines: ['APNs accepts the key, the team and the app.'] };
	},
});

const webpush = dataCommand("show the server's Web Push key, or try it on a browser", {
	options: ON_DEVICE,
	run: async (context, options, { BECKON_WEB_PUSH_CONTACT: contact }, { webPush }) => {
		const { public_key } = await webPushKey(context);
		if (options.device !== undefined) {
			await tryOn(context, webPush, options);
			return {
				json: { ok: true, public_key },
				lines: [
					'A test push was handed to the push service. The browser shows it when it is reached.',
				],
			};
		}
		return {
			json: { ok: true, public_key, contact },
			lines: [
				`Public key  ${public_key}`,
				`Contact     ${contact}`,
				'Web Push needs no account. Try it on a paired browser with --account and --device.',
			],
		};
	},
});

export const check = group('check the push services', { apns, webpush });
