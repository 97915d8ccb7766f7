import { isSameSet } from '../../contract/common.ts';
import { isPhoneSlug } from '../../contract/values.ts';
import { channelsNamedBy } from '../../store/keys-and-channels/channels.ts';
import {
	type AudienceDevice,
	channelsReaching,
	devicesOfAccounts,
	devicesOfChannels,
	devicesWithIds,
} from '../../store/phones/device-audience.ts';
import { mutesOfChannels } from '../../store/phones/muted-channels.ts';
import type { Db } from '../../store/schema.ts';
import type { Caller } from '../context.ts';
import { forbidden, invalid, Refusal } from '../refusal.ts';

/** The devices a request reaches (docs/api-decisions.md "Recipients and counts"). */
export interface Audience {
	/** Slugs of the channels used; null: every device of the account. */
	slugs: string[] | null;
	devices: readonly AudienceDevice[];
	/** Devices that matched but were reported gone by their gateway. */
	disconnected: readonly AudienceDevice[];
	/** The ids of devices that it must not interrupt. */
	muted: ReadonlySet<string>;
}

/**
 * Key scope ∩ request target, as channel slugs. Checked before other channels are looked up: a limited key must
 * not learn which exist.
 * @throws Refusal `forbidden`
 */
function effectiveSlugs(
	caller: Caller,
	requested: readonly string[] | undefined,
	reach: AccountReach,
): string[] | null {
	const { channels } = caller;
	if (!requested) return channels ? [...channels] : null;
	const outside = requested.filter((slug) => !isWithin(caller, slug, reach));
	if (outside.length > 0)
		throw forbidden(
			'Forbidden',
			`This API key is restricted to the channels ${channels?.join(', ')}; it cannot target ${outside.join(', ')}.`,
		);
	return [...requested];
}

/** True if a key may target the channel or phone. A limited key may target the phones in its channels. */
export function isWithin(
	{ channels }: Pick<Caller, 'channels'>,
	slug: string,
	reach: AccountReach | undefined,
): boolean {
	if (!channels || channels.includes(slug)) return true;
	const phone = phoneNamedBy(slug);
	return (
		phone !== undefined &&
		channels.some((channel) => reach?.channels.get(channel)?.some(({ id }) => id === phone))
	);
}

/** @throws Refusal `invalid` for an unknown channel */
function requireKnownChannels(
	requested: readonly string[],
	{ channels }: AccountReach,
	path: string,
) {
	const unknown = requested.filter((slug) => !channels.has(slug));
	if (unknown.length === 0) return;
	const [what, advice] = unknown.every((slug) => phoneNamedBy(slug) !== undefined)
		? ['phone', 'It may have been removed: choose another.']
		: ['channel', 'Create it, or correct the slug.'];
	throw invalid(
		'Invalid channel targeting',
		`${path} does not match any ${what} of this account: ${unknown.join(', ')}. ${advice}`,
		{ unknown_channels: unknown },
	);
}

function toAudience(slugs: string[] | null, matched: readonly AudienceDevice[]) {
	return {
		slugs,
		devices: matched.filter(({ status }) => status === 'active'),
		disconnected: matched.filter(({ status }) => status !== 'active'),
	};
}

type ChannelDevice = AudienceDevice & { is_muted: boolean };

/** The devices and channels of an account, as far as its requests need them. */
export interface AccountReach {
	/** All devices of the account; empty when no request targets all of them. */
	devices: readonly AudienceDevice[];
	/** The devices of each existing channel, and of each slug of a phone, which nobody can mute. */
	channels: ReadonlyMap<string, readonly ChannelDevice[]>;
}

/** The reach of an account that is gone. */
export const NOBODY: AccountReach = { devices: [], channels: new Map() };

/** Devices of the existing channels, with duplicates if in several; all of the account's if `slugs` is null. */
export function devicesIn({ devices, channels }: AccountReach, slugs: readonly string[] | null) {
	return slugs ? slugs.flatMap((slug) => channels.get(slug) ?? []) : devices;
}

/**
 * Resolves a request's audience and the devices it must not interrupt: those that have muted every channel
 * through which it reaches them.
 * @param requested the channels named in the request, if any
 * @param path their position in the request
 * @throws Refusal `forbidden` for a channel outside the key's, whether it exists or not; `invalid` for an
 *         unknown one
 */
export function decideAudience(
	reach: AccountReach,
	caller: Caller,
	requested: readonly string[] | undefined,
	path = 'target.channels',
): Audience {
	const { devices, channels } = reach;
	const slugs = effectiveSlugs(caller, requested, reach);
	if (requested) requireKnownChannels(requested, reach, path);
	if (!slugs) return { ...toAudience(null, devices), muted: new Set() };
	const reached = new Map<string, ChannelDevice>();
	const unmuted = new Set<string>();
	for (const device of slugs.flatMap((slug) => channels.get(slug) ?? [])) {
		reached.set(device.id, device);
		if (!device.is_muted) unmuted.add(device.id);
	}
	return {
		...toAudience(slugs, [...reached.values()]),
		muted: new Set([...reached.keys()].filter((id) => !unmuted.has(id))),
	};
}

/** An account and some of its channels; null: all devices of the account. */
export interface ReachQuery {
	accountId: string;
	slugs: readonly string[] | null;
	/** The channels of a limited key, which decide the phones that it may name. */
	scope?: Caller['channels'];
}

/**
 * Leaves out slugs outside the key's channels: the request is refused, and its duration must not tell
 * whether they exist. The id in the slug of a phone cannot be guessed.
 * @param requested the channels named in the request, if any
 */
export function toReachQuery(caller: Caller, requested: readonly string[] | undefined): ReachQuery {
	const { accountId, channels } = caller;
	const visible = requested?.filter(
		(slug) => !channels || channels.includes(slug) || isPhoneSlug(slug),
	);
	return { accountId, slugs: visible ?? channels, scope: channels };
}

/** Loads the reach of several accounts. */
export async function loadReach(db: Db, queries: readonly ReachQuery[]) {
	const whole = new Set<string>();
	const slugsByAccount = new Map<string, Set<string>>();
	const phoneIds = new Set<string>();
	for (const { accountId, slugs, scope } of queries) {
		if (!slugs) {
			whole.add(accountId);
			continue;
		}
		const ids = slugs.flatMap((slug) => phoneNamedBy(slug) ?? []);
		for (const id of ids) phoneIds.add(id);
		const within = ids.length > 0 ? (scope ?? []) : [];
		const earlier = slugsByAccount.get(accountId) ?? [];
		slugsByAccount.set(accountId, new Set([...earlier, ...slugs, ...within]));
	}
	const phones = await devicesWithIds(db, { ids: [...phoneIds] });
	const devices = await devicesOfAccounts(db, { accountIds: [...whole] });
	const named = [...slugsByAccount].flatMap(([account_id, slugs]) =>
		[...slugs].map((slug) => ({ account_id, slug })),
	);
	const channels = await channelsNamedBy(db, named);
	const channelIds = channels.map(({ id }) => id);
	const reached = await devicesOfChannels(db, channelIds);
	const byAccount = Map.groupBy(devices, ({ account_id: id }) => id);
	const byChannel = Map.groupBy(reached, ({ channel_id: id }) => id);
	const channelsByAccount = Map.groupBy(channels, ({ account_id: id }) => id);
	const phonesByAccount = Map.groupBy(phones, ({ account_id: id }) => id);
	return new Map(
		queries.map(({ accountId }) => [
			accountId,
			{
				devices: byAccount.get(accountId) ?? [],
				channels: new Map<string, readonly ChannelDevice[]>([
					...(channelsByAccount.get(accountId) ?? []).map(
						({ id, slug }) => [slug, byChannel.get(id) ?? []] as const,
					),
					...(phonesByAccount.get(accountId) ?? []).map(
						(phone) => [toPhoneSlug(phone.id), [{ ...phone, is_muted: false }]] as const,
					),
				]),
			},
		]),
	);
}

/**
 * Finds the devices that have muted every channel through which the slugs of an account reach them: none if
 * the slugs are null, for all devices of the account.
 */
type FindMuted = (accountId: string, slugs: readonly string[] | null) => ReadonlySet<string>;

/** @param queries everything that will be looked up */
export async function loadMuted(db: Db, queries: readonly ReachQuery[]): Promise<FindMuted> {
	const named = queries.filter(({ slugs }) => slugs);
	const channels = named.flatMap(({ accountId: account_id, slugs }) =>
		(slugs ?? []).map((slug) => ({ account_id, slug })),
	);
	const mutes = await mutesOfChannels(db, channels);
	// Most accounts mute nothing.
	const reach: ReadonlyMap<string, AccountReach> =
		mutes.length > 0 ? await loadReach(db, named) : new Map<string, AccountReach>();
	return (accountId, slugs) => {
		const muted = new Set(
			mutes
				.filter((mute) => mute.account_id === accountId && slugs?.includes(mute.slug))
				.map((mute) => mute.device_id),
		);
		if (muted.size === 0) return muted;
		for (const slug of slugs ?? []) {
			for (const device of reach.get(accountId)?.channels.get(slug) ?? [])
				if (!device.is_muted) muted.delete(device.id);
		}
		return muted;
	};
}

/** @throws Refusal `no_recipients` when the audience is empty */
export function requireRecipients({ devices, slugs }: Audience): void {
	if (devices.length > 0) return;
	const where = slugs
		? `${slugs.length === 1 ? 'the channel' : 'the channels'} ${slugs.join(', ')}`
		: 'this account';
	throw new Refusal(
		'no_recipients',
		'No recipients',
		`No connected phone is in ${where}. Pair a phone, or add one to the channel, then send again.`,
		{ effective_channel_slugs: slugs },
	);
}

export function isSameAudience(a: readonly string[] | null, b: readonly string[] | null): boolean {
	return a && b ? isSameSet(a, b) : a === b;
}

/**
 * Keeps a limited key to its own channels, and the phones in them.
 * @param reach needed if the slugs name a phone
 * @throws Refusal `forbidden`
 */
export function requireWithinKey(
	caller: Caller,
	slugs: readonly string[] | null,
	what: string,
	reach: AccountReach | undefined,
): void {
	const { channels } = caller;
	if (!channels || slugs?.every((slug) => isWithin(caller, slug, reach))) return;
	throw forbidden(
		'Forbidden',
		`This ${what} also reaches phones outside the channels of this API key (${channels.join(', ')}).`,
	);
}

/**
 * Finds out whether channels reach phones today, directly or through their people.
 * @returns for a phone and slugs of channels and phones; null: every phone of the account
 */
export async function loadStillReached(db: Db, deviceIds: readonly string[]) {
	const found = await channelsReaching(db, { deviceIds });
	const byDevice = Map.groupBy(found, ({ device_id: id }) => id);
	return (id: string, slugs: readonly string[] | null) =>
		slugs === null ||
		slugs.includes(toPhoneSlug(id)) ||
		(byDevice.get(id) ?? []).some(({ slug }) => slugs.includes(slug));
}

const ID = 'dev_';
const SLUG = 'phone-';

/** The slug that stands for a phone. Ids are case-sensitive, slugs are not: it has the id's bytes as hexadecimal. */
export function toPhoneSlug(deviceId: string): string {
	return SLUG + Buffer.from(deviceId.slice(ID.length), 'base64url').toString('hex');
}

/** The id of the phone for which a slug stands; undefined for a channel. */
function phoneNamedBy(slug: string): string | undefined {
	if (!isPhoneSlug(slug)) return undefined;
	return ID + Buffer.from(slug.slice(SLUG.length), 'hex').toString('base64url');
}
