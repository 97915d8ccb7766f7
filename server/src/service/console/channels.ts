import type { z } from 'zod';
import type { channelChange, ConsoleChannel } from '../../contract/console/resources.ts';
import {
	clearChannelDevices,
	clearChannelUsers,
	deleteChannel,
	keysRestrictedTo,
	renameChannel,
} from '../../store/phones/channels.ts';
import {
	addDeviceToChannel,
	addUserToChannel,
	channelsBySlug,
	listChannels,
} from '../../store/phones/channels.ts';
import { deviceById, listDevices } from '../../store/phones/devices.ts';
import type { Channel, Db } from '../../store/schema.ts';
import { userByName } from '../../store/accounts/users.ts';
import type { Context } from '../context.ts';
import { channelNotFound } from '../administration/channels.ts';
import { toReach } from '../phones/reach.ts';
import { Refusal } from '../refusal.ts';

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

async function requireChannel(db: Db, accountId: string, slug: string): Promise<Channel> {
	const [channel] = await channelsBySlug(db, accountId, [slug]);
	if (channel) return channel;
	throw channelNotFound([slug]);
}

async function replaceUsers(db: Db, channel: Channel, names: readonly string[]): Promise<void> {
	await clearChannelUsers(db, channel.id);
	for (const name of names) {
		const user = await userByName(db, channel.account_id, name);
		if (!user)
			throw new Refusal('not_found', 'User not found', `This account has no user ${name}.`);
		await addUserToChannel(db, channel.id, user.id);
	}
}

async function replaceDevices(db: Db, channel: Channel, ids: readonly string[]): Promise<void> {
	await clearChannelDevices(db, channel.id);
	for (const id of ids) {
		if (!(await deviceById(db, channel.account_id, id)))
			throw new Refusal('not_found', 'Device not found', `This account has no device ${id}.`);
		await addDeviceToChannel(db, channel.id, id);
	}
}

/** Omitted fields keep their value. @throws Refusal `not_found`, without changing anything */
export async function changeChannel(
	context: Context,
	accountId: string,
	slug: string,
	{ name, users, devices }: z.output<typeof channelChange>,
): Promise<void> {
	await context.database.write(accountId, async (db) => {
		const channel = await requireChannel(db, accountId, slug);
		if (name !== undefined) await renameChannel(db, channel.id, name);
		if (users) await replaceUsers(db, channel, users);
		if (devices) await replaceDevices(db, channel, devices);
	});
}

/**
 * @throws Refusal `not_found`, or `conflict` while a key is restricted to the channel: that key would then
 *         reach no device, and its workflows would fail
 */
export async function removeChannel(
	context: Context,
	accountId: string,
	slug: string,
): Promise<void> {
	await context.database.write(accountId, async (db) => {
		const channel = await requireChannel(db, accountId, slug);
		const keys = await keysRestrictedTo(db, channel.id);
		if (keys.length > 0) {
			throw new Refusal(
				'conflict',
				'Channel in use',
				`The API key ${keys.join(', ')} is restricted to this channel. Revoke the key first.`,
			);
		}
		await deleteChannel(db, channel.id);
	});
}
