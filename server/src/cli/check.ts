import { type Command, Option } from 'commander';
import type { Config } from '../config.ts';
import { type Gateway, isTaken } from '../delivery/gateway.ts';
import { testDelivery } from '../delivery/test-delivery.ts';
import { type Gateways, openGateways } from '../assembly.ts';
import { findAccount } from '../service/accounts/accounts.ts';
import { listAccountDevices } from '../service/phones/devices.ts';
import type { Context } from '../service/context.ts';
import { webPushKey } from '../service/phones/push-tokens.ts';
import { Refusal } from '../service/refusal.ts';
import { type CommonOptions, onData, type Output, withCommonOptions } from './run.ts';

interface CheckOptions extends CommonOptions {
	account?: string;
	device?: string;
}

const failed = (message: string) => new Refusal('conflict', 'Check failed', message);

/** Sends a test push to the gateway, bypassing inbox and outbox. @throws Refusal if not taken */
async function tryOn(context: Context, gateway: Gateway, options: CheckOptions): Promise<void> {
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

async function checkApns(
	context: Context,
	{ apns }: Gateways,
	options: CheckOptions & { sandbox?: boolean },
): Promise<Output> {
	if (!apns) {
		throw failed(
			'Push to iPhones is not set up: set BECKON_APNS_KEY_FILE, BECKON_APNS_KEY_ID, BECKON_APNS_TEAM_ID and BECKON_APNS_BUNDLE_ID.',
		);
	}
	if (options.device !== undefined) {
		await tryOn(context, apns, options);
		return {
			json: { ok: true },
			lines: [
				'A test push was handed to Apple’s push service. The phone shows it when it is reached.',
			],
		};
	}
	const wrong = await apns
		.check(options.sandbox ? 'sandbox' : 'production')
		.catch((error: unknown) => {
			throw failed(`APNs cannot be reached: ${error instanceof Error ? error.message : ''}`);
		});
	if (wrong !== undefined) throw failed(wrong);
	return { json: { ok: true }, lines: ['APNs accepts the key, the team and the app.'] };
}

async function checkWebPush(
	context: Context,
	{ webPush }: Gateways,
	options: CheckOptions,
	config: Config,
): Promise<Output> {
	const { public_key: key } = await webPushKey(context);
	if (options.device !== undefined) {
		await tryOn(context, webPush, options);
		return {
			json: { ok: true, public_key: key },
			lines: [
				'A test push was handed to the push service. The browser shows it when it is reached.',
			],
		};
	}
	return {
		json: { ok: true, public_key: key, contact: config.BECKON_WEB_PUSH_CONTACT },
		lines: [
			`Public key  ${key}`,
			`Contact     ${config.BECKON_WEB_PUSH_CONTACT}`,
			'Web Push needs no account. Try it on a paired browser with --account and --device.',
		],
	};
}

export function addCheckCommands(program: Command): void {
	const check = program.command('check').description('check the push services');

	const add = (
		name: string,
		description: string,
		run: (
			context: Context,
			gateways: Gateways,
			options: CheckOptions,
			config: Config,
		) => Promise<Output>,
	) =>
		withCommonOptions(check.command(name).description(description))
			.option('--account <account>', 'account of the device')
			.option('--device <device>', 'send a test push to this device, by name or id')
			.action((options: CheckOptions) =>
				onData(options, async (context, config) => {
					const gateways = openGateways(config, context.database);
					try {
						return await run(context, gateways, options, config);
					} finally {
						gateways.apns?.close();
						gateways.webPush.close();
					}
				}),
			);

	add('apns', "ask Apple's push service whether the settings are right", checkApns).addOption(
		new Option('--sandbox', 'the service for apps started from Xcode'),
	);
	add('webpush', "show the server's Web Push key, or try it on a browser", checkWebPush);
}
