import type { Environment } from '../delivery/apns/client.ts';
import type { ApnsGateway } from '../delivery/apns/gateway.ts';
import { findAccount } from '../service/accounts/accounts.ts';
import type { ActingContext } from '../service/audit.ts';
import { toReachInput } from '../service/phones/devices.ts';
import { webPushKey as findWebPushKey } from '../service/phones/push-tokens.ts';
import { sendTestPush } from '../service/phones/test-push.ts';
import { conflict } from '../service/refusal.ts';
import { deleteServerKey } from '../store/server-state.ts';
import { queryDevices } from '../store/phones/devices.ts';
import { dataCommand, group, optional, type Values } from './commands.ts';

const ON_DEVICE = {
	account: optional('--account <account>', 'account of the phone'),
	device: optional('--device <device>', 'send a test push to this phone, by name or id'),
};

const NO_CHANNELS =
	'It has no channels for Live Activities: on each phone, updates wait until the app is opened. Turn on Broadcast Capability for the app’s identifier.';

const failed = (message: string) => conflict('Check failed', message);

/** Sends a test push to a phone. @returns its outcome. @throws Refusal if no push service took it */
async function tryOn(context: ActingContext, options: Values<typeof ON_DEVICE>): Promise<string> {
	if (options.account === undefined) throw failed('Name the account of the phone with --account.');
	const { id } = await findAccount(context, options.account);
	const list = queryDevices(context.database.read, id, toReachInput(context, id));
	const device = (await list.execute()).find(
		(entry) => options.device === entry.id || options.device === entry.name,
	);
	if (!device) throw failed(`This account has no phone ${options.device ?? ''}.`);
	const { state, message } = await sendTestPush(context, id, device.id);
	if (state !== 'handed_over' && state !== 'received') throw failed(message);
	return message;
}

/**
 * Asks Apple's push service whether the settings are right, and how many channels the app has.
 * @throws Refusal that tells whether it was not reached, or has refused them
 */
export async function askApns(gateway: ApnsGateway, environment: Environment = 'production') {
	const notReached = (what: string) => (error: unknown) => {
		throw failed(`Could not reach ${what}: ${error instanceof Error ? error.message : ''}`);
	};
	const wrong = await gateway.check(environment).catch(notReached('APNs'));
	if (wrong !== undefined) throw failed(wrong);
	const port = environment === 'sandbox' ? 2195 : 2196;
	const unmanaged = `where Apple manages channels, although APNs accepts the settings. Allow outgoing connections to port ${port}`;
	const channels = await gateway.channels.count(environment).catch(notReached(unmanaged));
	const isMissing = typeof channels === 'string';
	return {
		json: { ok: true, channels: isMissing ? null : channels },
		lines: [
			'APNs accepts the key, the team and the app.',
			...(isMissing ? [`${NO_CHANNELS} APNs answered ${channels}.`] : []),
		],
	};
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
		if (options.device === undefined)
			return askApns(gateway, options.sandbox ? 'sandbox' : 'production');
		return { json: { ok: true }, lines: [await tryOn(context, options)] };
	},
});

const webpush = dataCommand("show the server's Web Push key, or try it on a browser", {
	options: ON_DEVICE,
	run: async (context, options, { BECKON_WEB_PUSH_CONTACT: contact }) => {
		const { public_key } = await findWebPushKey(context);
		if (options.device !== undefined)
			return { json: { ok: true, public_key }, lines: [await tryOn(context, options)] };
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

const newKey = dataCommand('replace the Web Push key; phones subscribe again once opened', {
	run: async ({ database }) => {
		await database.write(null, (db) => deleteServerKey(db, 'vapid'));
		return { json: { replaced: true }, lines: ['Replaced. Restart the server now.'] };
	},
});

export const check = group('check the push services', { apns, webpush });

export const webPushKey = group("the server's Web Push key", { replace: newKey });
