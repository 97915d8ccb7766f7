import { isSameSet } from '../contract/common.ts';
import { channelsBySlug } from '../store/channels.ts';
import { type AudienceDevice, devicesInChannels, devicesOfAccount } from '../store/devices.ts';
import type { Db } from '../store/schema.ts';
import type { Caller } from './context.ts';
import { Refusal } from './refusal.ts';

/** Whom a request reaches (docs/api-decisions.md "Recipients and counts"). */
export interface Audience {
	/** Slugs of the channels that were used; null: every device of the account. */
	slugs: string[] | null;
	devices: AudienceDevice[];
	/** Matched, but their gateway said that they are gone. */
	disconnected: AudienceDevice[];
}

/** Key scope ∩ request target, as channel slugs. @throws Refusal `forbidden` */
function effectiveSlugs(caller: Caller, requested: readonly string[] | undefined): string[] | null {
	const { channels } = caller;
	if (!requested) return channels ? [...channels] : null;
	const outside = channels ? requested.filter((slug) => !channels.includes(slug)) : [];
	if (outside.length > 0) {
		throw new Refusal(
			'forbidden',
			'Forbidden',
			`This API key is restricted to the channels ${channels?.join(', ')}; it may not target ${outside.join(', ')}.`,
		);
	}
	return [...requested];
}

/**
 * @param requested the channels that the request names, if any
 * @param path where the request names them
 * @throws Refusal `invalid` for a slug that names no channel, `forbidden` for one outside the key's
 */
export async function resolveAudience(
	db: Db,
	caller: Caller,
	requested: readonly string[] | undefined,
	path = 'target.channels',
): Promise<Audience> {
	if (requested) {
		const known = new Set(
			(await channelsBySlug(db, caller.accountId, requested)).map(({ slug }) => slug),
		);
		const unknown = requested.filter((slug) => !known.has(slug));
		if (unknown.length > 0) {
			throw new Refusal(
				'invalid',
				'Invalid channel targeting',
				`${path} names no channel of this account: ${unknown.join(', ')}. Create it, or correct the slug.`,
				{ unknown_channels: unknown },
			);
		}
	}
	const slugs = effectiveSlugs(caller, requested);
	const matched = slugs
		? await devicesInChannels(db, caller.accountId, slugs)
		: await devicesOfAccount(db, caller.accountId);
	return {
		slugs,
		devices: matched.filter(({ status }) => status === 'active'),
		disconnected: matched.filter(({ status }) => status !== 'active'),
	};
}

function noRecipients(slugs: readonly string[] | null): Refusal {
	const where = slugs ? `the channels ${slugs.join(', ')}` : 'this account';
	return new Refusal(
		'no_recipients',
		'No recipients',
		`No connected device is in ${where}. Pair a phone, or add one to the channel, then send again.`,
		{ effective_channel_slugs: slugs },
	);
}

/** @throws Refusal `no_recipients` when nobody would receive it */
export function assertRecipients(audience: Audience): void {
	if (audience.devices.length === 0) throw noRecipients(audience.slugs);
}

export function isSameAudience(a: readonly string[] | null, b: readonly string[] | null): boolean {
	return a && b ? isSameSet(a, b) : a === b;
}

/**
 * A restricted key touches only what goes to its own channels.
 * @throws Refusal `forbidden`
 */
export function assertWithinKey(
	caller: Caller,
	slugs: readonly string[] | null,
	what: string,
): void {
	const { channels } = caller;
	if (!channels || slugs?.every((slug) => channels.includes(slug))) return;
	throw new Refusal(
		'forbidden',
		'Forbidden',
		`This ${what} also reaches devices outside the channels of this API key (${channels.join(', ')}).`,
	);
}
