import type { z } from 'zod';
import type { channelChange, ConsoleChannel } from '../../contract/console/resources.ts';
import {
	clearChannelDevices,
	clearChannelUsers,
	deleteChannel,
	keysRestrictedTo,
	listChannels,
	renameChannel,
} from '../../store/keys-and-channels/channels.ts';
import { listDevices } from '../../store/phones/devices.ts';
import type { Context } from '../context.ts';
import { type ActingContext, record } from '../audit.ts';
import { addDevices, addUsers, requireChannel, withChannel } from './channels.ts';
import { toReach } from '../phones/reach.ts';
import { conflict } from '../refusal.ts';

export async function channelsForConsole(
	context: Context,
	accountId: string,
): Promise<ConsoleChannel[]> {
	const db = context.database.read;
	const [channels, devices] = await Promise.all([
		listChannels(db, accountId),
		listDevices(db, accountId),
	]);
	return channels.map(({ slug, name, users, devices: ids }) => {
		const reached = devices.filter(
			(device) =>
				device.status === 'active' && (ids.includes(device.id) || users.includes(device.user_name)),
		);
		return {
			slug,
			name,
			users,
			devices: ids,
			reaches: reached.length,
			only_while_open: reached.filter((device) => toReach(context, device) === 'while_open').length,
		};
	});
}

/** Omitted fields keep their value. @throws Refusal `not_found`, without changing anything */
export async function changeChannel(
	context: ActingContext,
	accountId: string,
	slug: string,
	{ name, users, devices }: z.output<typeof channelChange>,
): Promise<void> {
	await withChannel(context, accountId, slug, async (db, channel) => {
		if (name !== undefined) await renameChannel(db, channel.id, name);
		if (users) {
			await clearChannelUsers(db, channel.id);
			await addUsers(db, channel, users);
		}
		if (devices) {
			await clearChannelDevices(db, channel.id);
			await addDevices(db, channel, devices);
		}
	});
}

/**
 * @throws Refusal `not_found`, or `conflict` while a key is restricted to the channel: that key would then
 *         reach no device, and its workflows would fail
 */
export async function removeChannel(
	context: ActingContext,
	accountId: string,
	slug: string,
): Promise<void> {
	await context.database.write(accountId, async (db) => {
		const channel = await requireChannel(db, accountId, slug);
		const keys = await keysRestrictedTo(db, channel.id);
		if (keys.length > 0) {
			throw conflict(
				'Channel in use',
				`The API key ${keys.join(', ')} is restricted to this channel. Revoke the key first.`,
			);
		}
		await deleteChannel(db, channel.id);
		await record(db, context, accountId, 'channel_deleted', slug);
	});
}
