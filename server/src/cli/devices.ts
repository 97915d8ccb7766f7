import type { Command } from 'commander';
import { phoneAddressAdvice } from '../contract/phone-address.ts';
import { REACHES } from '../contract/values.ts';
import { createPairCode } from '../service/phones/pairing.ts';
import { listAccountDevices, toReach } from '../service/phones/devices.ts';
import { isoTime } from '../service/context.ts';
import { ofAccount, type OfAccount, onAccount, publicUrl, startAdvice, table } from './run.ts';

export function addDeviceCommands(program: Command): void {
	const device = program
		.command('device')
		.description('phones: iPhones, and browsers paired as one');

	ofAccount(
		device.command('pair-code').description('print a code and a link with which one phone pairs'),
	)
		.option('--user <name>', 'whose phone it is; left out: the first person of the account')
		.action((options: OfAccount & { user?: string }) =>
			onAccount(options, async (context, { id }, config) => {
				const pairing = await createPairCode(context, id, options.user);
				// In the fragment, which browsers never send.
				const address = publicUrl(config);
				const link = `${address}/phone#code=${pairing.code}`;
				const advice = phoneAddressAdvice(address);
				const start = startAdvice(config, options);
				return {
					json: { ...pairing, link, ...(advice !== undefined && { advice }) },
					lines: [
						`Code  ${pairing.code.slice(0, 4)}-${pairing.code.slice(4)}`,
						`Link  ${link}`,
						`For a phone of ${pairing.user}. Works once, until ${pairing.expires_at}.`,
						...[start, advice].flatMap((line) => (line === undefined ? [] : ['', line])),
					],
				};
			}),
		);

	ofAccount(device.command('list').description('list the phones of an account')).action(
		(options: OfAccount) =>
			onAccount(options, async (context, { id }) => {
				const devices = (await listAccountDevices(context, id)).map((entry) => ({
					id: entry.id,
					name: entry.name,
					user: entry.user_name,
					platform: entry.platform,
					status: entry.status,
					reach: toReach(context, entry),
					paired_at: isoTime(entry.paired_at),
					last_seen_at: isoTime(entry.last_seen_at),
				}));
				return {
					json: devices,
					lines: table(
						['ID', 'NAME', 'USER', 'PLATFORM', 'REACH', 'LAST SEEN'],
						devices.map((entry) => [
							entry.id,
							entry.name,
							entry.user,
							entry.platform,
							REACHES[entry.reach],
							entry.last_seen_at,
						]),
					),
				};
			}),
	);
}
