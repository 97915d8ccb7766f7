import type { Command } from 'commander';
import { findAccount } from '../service/administration/accounts.ts';
import {
	assignToChannel,
	createChannel,
	listAccountChannels,
} from '../service/administration/channels.ts';
import { commaList } from './keys.ts';
import { type CommonOptions, onData, table, withCommonOptions } from './run.ts';

type OfAccount = CommonOptions & { account: string };

export function addChannelCommands(program: Command): void {
	const channel = program
		.command('channel')
		.description('channels: named groups of users and devices');

	withCommonOptions(channel.command('create').description('create a channel'))
		.requiredOption('--account <account>', 'name or id of the account')
		.requiredOption('--slug <slug>', 'its slug, which requests target')
		.option('--name <name>', 'its name for people')
		.action((options: OfAccount & { slug: string; name?: string }) =>
			onData(options, async (context) => {
				const { id } = await findAccount(context, options.account);
				const { slug, name } = await createChannel(context, id, options);
				return { json: { slug, name }, lines: [`Channel ${slug}.`] };
			}),
		);

	withCommonOptions(channel.command('assign').description('put users and devices into a channel'))
		.requiredOption('--account <account>', 'name or id of the account')
		.requiredOption('--channel <slug>', 'slug of the channel')
		.option('--users <names>', 'names of users, separated by commas', commaList, [])
		.option('--devices <ids>', 'ids of devices, separated by commas', commaList, [])
		.action((options: OfAccount & { channel: string; users: string[]; devices: string[] }) =>
			onData(options, async (context) => {
				const { id } = await findAccount(context, options.account);
				const { channel: slug, users, devices } = options;
				await assignToChannel(context, id, { slug, users, devices });
				return {
					json: { slug, users, devices },
					lines: [`${[...users, ...devices].join(', ')} → ${slug}`],
				};
			}),
		);

	withCommonOptions(channel.command('list').description('list the channels with their members'))
		.requiredOption('--account <account>', 'name or id of the account')
		.action((options: OfAccount) =>
			onData(options, async (context) => {
				const channels = await listAccountChannels(
					context,
					(await findAccount(context, options.account)).id,
				);
				return {
					json: channels.map(({ slug, name, users, devices }) => ({ slug, name, users, devices })),
					lines: table(
						['SLUG', 'NAME', 'USERS', 'DEVICES'],
						channels.map((entry) => [
							entry.slug,
							entry.name,
							entry.users.join(','),
							entry.devices.join(','),
						]),
					),
				};
			}),
		);
}
