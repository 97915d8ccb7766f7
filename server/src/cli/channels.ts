import { displayName } from '../contract/text.ts';
import {
	assignToChannel,
	channelForConsole,
	channelNames,
	createChannel,
	removeChannel,
} from '../service/keys-and-channels/channels.ts';
import { accountCommand, group, names, listing, optional, required } from './commands.ts';

export const channel = group('channels: named groups of people and phones', {
	create: accountCommand('create a channel', {
		options: {
			slug: required('--slug <slug>', 'its slug, which requests target'),
			name: optional('--name <name>', 'its name for people', displayName),
		},
		run: async (context, { id }, options) => {
			const { slug, name } = await createChannel(context, id, options);
			return { json: { slug, name }, lines: [`Channel ${slug}.`] };
		},
	}),
	assign: accountCommand('add people and phones to a channel', {
		options: {
			channel: required('--channel <slug>', 'slug of the channel'),
			users: required('--users <names>', 'names of users, separated by commas', names).default([]),
			devices: required('--devices <ids>', 'ids of devices, separated by commas', names).default(
				[],
			),
		},
		run: async (context, { id }, { channel: slug, users, devices }) => {
			await assignToChannel(context, id, { slug, users, devices });
			const line = `${[...users, ...devices].join(', ')} → ${slug}`;
			return { json: { slug, users, devices }, lines: [line] };
		},
	}),
	remove: accountCommand('remove a channel; its people and phones stay', {
		options: { channel: required('--channel <slug>', 'slug of the channel') },
		run: async (context, { id }, { channel: slug }) => {
			await removeChannel(context, id, slug);
			return { json: { removed: slug }, lines: [`Channel ${slug} is removed.`] };
		},
	}),
	list: accountCommand('list the channels with their members', {
		run: async (context, { id }) => {
			const channels = [];
			for (const { slug } of await channelNames(context, id)) {
				const { name, users, devices } = await channelForConsole(context, id, slug);
				channels.push({ slug, name, users, devices: devices.map((device) => device.id) });
			}
			return listing(channels, { SLUG: 'slug', NAME: 'name', USERS: 'users', DEVICES: 'devices' });
		},
	}),
});
