import type { Command } from 'commander';
import { givenName } from '../contract/text.ts';
import {
	assignToChannel,
	createChannel,
	listAccountChannels,
} from '../service/keys-and-channels/channels.ts';
import { commaList } from './keys.ts';
import { fitting, ofAccount, type OfAccount, onAccount, table } from './run.ts';

export function addChannelCommands(program: Command): void {
	const channel = program
		.command('channel')
		.description('channels: named groups of users and devices');

	ofAccount(channel.command('create').description('create a channel'))
		.requiredOption('--slug <slug>', 'its slug, which requests target')
		.option('--name <name>', 'its name for people', fitting(givenName))
		.action((options: OfAccount & { slug: string; name?: string }) =>
			onAccount(options, async (context, { id }) => {
				const { slug, name } = await createChannel(context, id, options);
				return { json: { slug, name }, lines: [`Channel ${slug}.`] };
			}),
		);

	ofAccount(channel.command('assign').description('put users and devices into a channel'))
		.requiredOption('--channel <slug>', 'slug of the channel')
		.option('--users <names>', 'names of users, separated by commas', commaList, [])
		.option('--devices <ids>', 'ids of devices, separated by commas', commaList, [])
		.action((options: OfAccount & { channel: string; users: string[]; devices: string[] }) =>
			onAccount(options, async (context, { id }) => {
				const { channel: slug, users, devices } = options;
				await assignToChannel(context, id, { slug, users, devices });
				return {
					json: { slug, users, devices },
					lines: [`${[...users, ...devices].join(', ')} → ${slug}`],
				};
			}),
		);

	ofAccount(channel.command('list').description('list the channels with their members')).action(
		(options: OfAccount) =>
			onAccount(options, async (context, { id }) => {
				const channels = await listAccountChannels(context, id);
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
