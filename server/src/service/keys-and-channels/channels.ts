import { channelSlug } from '../../contract/common.ts';
import type { ChannelsPage, ConsoleChannel, NamesQuery } from '../../contract/console/resources.ts';
import { shortened } from '../../contract/text.ts';
import { isPhoneSlug } from '../../contract/values.ts';
import {
	addDeviceToChannel,
	addUserToChannel,
	channelsBySlug,
	queryChannels,
	channelsPart,
	channelUsers,
	clearChannelDevices,
	clearChannelUsers,
	deleteChannel,
	insertChannel,
	keysRestrictedTo,
	membersOfChannel,
	ownDevices,
	reachedDevices,
	updateChannel,
} from '../../store/keys-and-channels/channels.ts';
import { countRows, listPage } from '../../store/list-pages.ts';
import { userByName } from '../../store/people/users.ts';
import { countByReach, deviceById, queryDevices } from '../../store/phones/devices.ts';
import type { ChannelRow, Db } from '../../store/schema.ts';
import { takeOffLeftPhones } from '../activities/live.ts';
import { type ActingContext, record } from '../audit.ts';
import type { Context } from '../context.ts';
import { toReachInput } from '../phones/devices.ts';
import { conflict, invalid, notFound } from '../refusal.ts';
import { newId } from '../secrets.ts';

interface ChannelChange {
	name?: string | undefined;
	users?: readonly string[] | undefined;
	devices?: readonly string[] | undefined;
}

/** Finds the channels with these slugs. @throws Refusal `not_found`, naming the missing ones */
export async function channelsNamed(db: Db, accountId: string, slugs: readonly string[]) {
	const channels = await channelsBySlug(db, { accountId, slugs });
	const unknown = slugs.filter((slug) => !channels.some((channel) => channel.slug === slug));
	if (unknown.length > 0)
		throw notFound('Channel not found', `This account has no channel ${unknown.join(', ')}.`);
	return channels;
}

/** @throws Refusal `not_found` */
async function requireChannel(db: Db, accountId: string, slug: string): Promise<ChannelRow> {
	const [channel] = await channelsNamed(db, accountId, [slug]);
	return channel as ChannelRow;
}

/** No limit, for lists of names. */
const ALL = 1_000_000;

/** A page of the account's channels, with the first of their members. */
export async function channelsForConsole(context: Context, accountId: string, query: NamesQuery) {
	const { page, search } = query;
	const { database } = context;
	const list = (db: Db) => queryChannels(db, accountId, search);
	const { rows, ...found } = await listPage(database, page, list);
	const of = await database.readInTurn((db) => countRows(queryChannels(db, accountId)));
	const channels: ConsoleChannel[] = [];
	for (const row of rows) channels.push(await toConsoleChannel(context, row));
	return { channels, ...found, of } satisfies ChannelsPage;
}

/** A channel with all of its members. @throws Refusal `not_found` */
export async function channelForConsole(context: Context, accountId: string, slug: string) {
	const channel = await requireChannel(context.database.read, accountId, slug);
	return toConsoleChannel(context, channel, ALL);
}

/** The slugs and names of all channels, to choose from. */
export function channelNames(context: Context, accountId: string) {
	return channelsPart(context.database.read, { accountId, after: undefined, limit: ALL }, null);
}

/** @param members the maximum shown of each kind */
async function toConsoleChannel(context: Context, channel: ChannelRow, members?: number) {
	const { database } = context;
	const accountId = channel.account_id;
	const reaching = toReachInput(context, accountId);
	const users = await listPage(database, 1, (db) => channelUsers(db, channel.id), members);
	const filter = { ...reaching, sort: 'name' as const, among: ownDevices(channel.id) };
	const direct = await listPage(database, 1, (db) => queryDevices(db, accountId, filter), members);
	const ofReached = { ...reaching, among: reachedDevices(channel.id) };
	const reached = await database.readInTurn((db) => countByReach(db, accountId, ofReached));
	const { open = 0, push = 0, while_open: whileOpen = 0 } = reached;
	return {
		slug: channel.slug,
		name: channel.name,
		users: users.rows.map(({ name }) => name),
		user_count: users.total,
		devices: direct.rows.map(({ id, name, user_name: user, reach }) => ({ id, name, user, reach })),
		device_count: direct.total,
		reaches: open + push + whileOpen,
		only_while_open: whileOpen,
	} satisfies ConsoleChannel;
}

/** @throws Refusal `invalid` for a malformed slug, `conflict` for an existing one, `not_found` for a person */
export async function createChannel(
	context: ActingContext,
	accountId: string,
	{ slug, name, users }: ChannelChange & { slug: string },
): Promise<ChannelRow> {
	const parsed = channelSlug.safeParse(slug);
	if (!parsed.success)
		throw invalid('Invalid channel', `The slug ${parsed.error.issues[0]?.message ?? 'is wrong'}.`);
	if (isPhoneSlug(slug))
		throw invalid('Invalid channel', `The slug ${slug} stands for a single phone.`);
	const named = { account_id: accountId, slug, name: name ?? slug };
	const channel: ChannelRow = { id: newId('chn'), created_at: context.now(), ...named };
	await context.database.write(accountId, async (db) => {
		if ((await channelsBySlug(db, { accountId, slugs: [slug] })).length > 0)
			throw conflict('Channel exists', `This account already has a channel ${slug}.`);
		await insertChannel(db, channel);
		await addMembers(db, channel, { users });
		await record(db, context, accountId, 'channel_created', slug);
	});
	return channel;
}

/** Adds users (by name) and devices (by id) to a channel. @throws Refusal `not_found` */
export function assignToChannel(
	context: ActingContext,
	accountId: string,
	{ slug, ...added }: { slug: string; users: readonly string[]; devices: readonly string[] },
) {
	return changeChannel(context, accountId, slug, added, { isAdding: true });
}

/** Characters of an entry in the audit log; a channel may get a thousand names at once. */
const MAX_SUBJECT = 1_000;

/**
 * Changes a channel, and records its new name, and who was added and removed. Omitted fields keep their value; users
 * and devices replace the current ones, unless they are added.
 * @throws Refusal `not_found`, without changing anything
 */
export async function changeChannel(
	context: ActingContext,
	accountId: string,
	slug: string,
	{ name, users, devices }: ChannelChange,
	{ isAdding = false } = {},
) {
	const left = await context.database.write(accountId, async (db) => {
		const channel = await requireChannel(db, accountId, slug);
		const { id } = channel;
		const before = await membersOfChannel(db, id);
		if (name !== undefined) await updateChannel(db, id, { name });
		if (users && !isAdding) await clearChannelUsers(db, id);
		if (devices && !isAdding) await clearChannelDevices(db, id);
		await addMembers(db, channel, { users, devices });
		const after = await membersOfChannel(db, id);
		const changes = [
			...(name === undefined || name === channel.name ? [] : [`renamed to ${name}`]),
			...without(after, before).map((added) => `added ${added}`),
			...without(before, after).map((removed) => `removed ${removed}`),
		];
		if (changes.length === 0) return [];
		const subject = shortened(`${slug}: ${changes.join(', ')}`, MAX_SUBJECT);
		await record(db, context, accountId, 'channel_changed', subject);
		return takeOffLeftPhones(db, accountId);
	});
	for (const phone of left) context.openPages.dismissalsChanged(phone);
}

type Members = Awaited<ReturnType<typeof membersOfChannel>>;

/** The names of the members that are not among the others. */
function without(members: Members, others: Members): string[] {
	const ids = new Set(others.map(({ id }) => id));
	return members.filter(({ id }) => !ids.has(id)).map(({ name }) => name);
}

/** @throws Refusal `not_found` */
async function addMembers(db: Db, channel: ChannelRow, change: ChannelChange) {
	const { id, account_id: accountId } = channel;
	const { users = [], devices = [] } = change;
	for (const name of users) {
		const user = await userByName(db, accountId, name);
		if (!user) throw notFound('User not found', `This account has no user ${name}.`);
		await addUserToChannel(db, { channel_id: id, user_id: user.id });
	}
	for (const deviceId of devices) {
		if (!(await deviceById(db, accountId, deviceId)))
			throw notFound('Device not found', `This account has no phone ${deviceId}.`);
		await addDeviceToChannel(db, { channel_id: id, device_id: deviceId });
	}
}

/**
 * @throws Refusal `not_found`, or `conflict` while a key is limited to the channel: that key would then
 *         reach no device, and its workflows would fail
 */
export async function removeChannel(context: ActingContext, accountId: string, slug: string) {
	const left = await context.database.write(accountId, async (db) => {
		const channel = await requireChannel(db, accountId, slug);
		const keys = await keysRestrictedTo(db, channel.id);
		if (keys.length > 0)
			throw conflict(
				'Channel in use',
				`The API key ${keys.join(', ')} is restricted to this channel. Revoke the key first.`,
			);
		await deleteChannel(db, channel.id);
		await record(db, context, accountId, 'channel_deleted', slug);
		return takeOffLeftPhones(db, accountId);
	});
	for (const phone of left) context.openPages.dismissalsChanged(phone);
}
