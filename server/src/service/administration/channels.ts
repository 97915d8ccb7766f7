import { channelSlug } from '../../contract/common.ts';
import {
	addDeviceToChannel,
	addUserToChannel,
	channelsBySlug,
	type ChannelWithMembers,
	insertChannel,
	listChannels,
} from '../../store/phones/channels.ts';
import { deviceById } from '../../store/phones/devices.ts';
import type { Channel, Db } from '../../store/schema.ts';
import { userByName } from '../../store/accounts/users.ts';
import type { Context } from '../context.ts';
import { Refusal } from '../refusal.ts';
import { newId } from '../secrets.ts';

/** Finds the channels with these slugs. @throws Refusal `not_found`, naming the missing ones */
export async function channelsNamed(
	db: Db,
	accountId: string,
	slugs: readonly string[],
): Promise<Channel[]> {
	const channels = await channelsBySlug(db, accountId, slugs);
	const unknown = slugs.filter((slug) => !channels.some((channel) => channel.slug === slug));
	if (unknown.length > 0) throw channelNotFound(unknown);
	return channels;
}

/** @throws Refusal `not_found` */
export async function requireChannel(db: Db, accountId: string, slug: string): Promise<Channel> {
	const [channel] = await channelsBySlug(db, accountId, [slug]);
	if (channel) return channel;
	throw channelNotFound([slug]);
}

function channelNotFound(slugs: readonly string[]): Refusal {
	const message = `This account has no channel ${slugs.join(', ')}.`;
	return new Refusal('not_found', 'Channel not found', message);
}

/** @throws Refusal `invalid` for a malformed slug, `conflict` for an existing one */
export async function createChannel(
	context: Context,
	accountId: string,
	{ slug, name }: { slug: string; name?: string | undefined },
): Promise<Channel> {
	const parsed = channelSlug.safeParse(slug);
	if (!parsed.success) {
		throw new Refusal(
			'invalid',
			'Invalid channel',
			`The slug ${parsed.error.issues[0]?.message ?? 'is wrong'}.`,
		);
	}
	const channel: Channel = {
		id: newId('chn'),
		account_id: accountId,
		slug,
		name: name ?? slug,
		created_at: context.now(),
	};
	await context.database.write(accountId, async (db) => {
		if ((await channelsBySlug(db, accountId, [slug])).length > 0) {
			throw new Refusal(
				'conflict',
				'Channel exists',
				`This account already has a channel ${slug}.`,
			);
		}
		await insertChannel(db, channel);
	});
	return channel;
}

/** Adds users (by name) and devices (by id) to a channel. @throws Refusal `not_found` */
export async function assignToChannel(
	context: Context,
	accountId: string,
	{ slug, users, devices }: { slug: string; users: readonly string[]; devices: readonly string[] },
): Promise<void> {
	await context.database.write(accountId, async (db) => {
		const channel = await requireChannel(db, accountId, slug);
		await addUsers(db, channel, users);
		await addDevices(db, channel, devices);
	});
}

/** @throws Refusal `not_found` */
export async function addUsers(
	db: Db,
	{ id, account_id: accountId }: Channel,
	names: readonly string[],
): Promise<void> {
	for (const name of names) {
		const user = await userByName(db, accountId, name);
		if (!user)
			throw new Refusal('not_found', 'User not found', `This account has no user ${name}.`);
		await addUserToChannel(db, id, user.id);
	}
}

/** @throws Refusal `not_found` */
export async function addDevices(
	db: Db,
	{ id, account_id: accountId }: Channel,
	deviceIds: readonly string[],
): Promise<void> {
	for (const deviceId of deviceIds) {
		if (!(await deviceById(db, accountId, deviceId))) {
			throw new Refusal('not_found', 'Device not found', `This account has no device ${deviceId}.`);
		}
		await addDeviceToChannel(db, id, deviceId);
	}
}

export function listAccountChannels(
	context: Context,
	accountId: string,
): Promise<ChannelWithMembers[]> {
	return listChannels(context.database.read, accountId);
}
