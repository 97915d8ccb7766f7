import type { Environment } from '../delivery/apns/client.ts';
import type { ApnsGateway } from '../delivery/apns/gateway.ts';
import { webPushKey as findWebPushKey } from '../service/phones/push-tokens.ts';
import { conflict } from '../service/refusal.ts';
import { deleteServerKey } from '../store/server-state.ts';
import { dataCommand, group, optional } from './commands.ts';

const NO_CHANNELS =
	'The app has no broadcast channels for Live Activities: on each phone, updates wait until the app is opened. Turn on Broadcast Capability for the app’s identifier.';

const failed = (message: string) => conflict('Check failed', message);

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
	const unmanaged = `Apple's channel management on port ${port} (allow outgoing connections to it), although APNs accepts the settings`;
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
		sandbox: optional<boolean>('--sandbox', 'the service for apps started from Xcode'),
	},
	run: async (_context, options, _config, { apns: gateway }) => {
		if (!gateway) {
			throw failed(
				'Push to iPhones is not set up: set BECKON_APNS_KEY_FILE, BECKON_APNS_KEY_ID, BECKON_APNS_TEAM_ID and BECKON_APNS_BUNDLE_ID.',
			);
		}
		return askApns(gateway, options.sandbox ? 'sandbox' : 'production');
	},
});

const webpush = dataCommand("show the server's Web Push key", {
	run: async (context, _options, { BECKON_WEB_PUSH_CONTACT: contact }) => {
		const { public_key } = await findWebPushKey(context);
		return {
			json: { ok: true, public_key, contact },
			lines: [`Public key  ${public_key}`, `Contact     ${contact}`, 'Web Push needs no account.'],
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
