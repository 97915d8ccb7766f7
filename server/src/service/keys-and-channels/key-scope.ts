import { scopeOfKey, toSlugs } from '../../store/keys-and-channels/api-keys.ts';
import type { Db } from '../../store/schema.ts';
import type { Caller } from '../context.ts';
import { TooManyRequests, unauthorized } from '../refusal.ts';

/** Seconds after which an account at its limit may try again. */
const RETRY_SECONDS = 60;

/** How many of something an account has, and how many of them belong to keys limited to channels. */
export interface Usage {
	all: number;
	limited: number;
}

/**
 * Enforces an account's limit. Keys limited to channels share half of it, so that they cannot use up what the
 * other keys need. What already exists stays.
 * @param advice the end of the message
 * @throws TooManyRequests
 */
export function requireShare(
	{ channels }: Caller,
	{ all, limited }: Usage,
	{ most, of, advice }: { most: number; of: string; advice: string },
): void {
	const isHalfUsed = channels !== null && limited >= Math.max(1, Math.floor(most / 2));
	if (all < most && !isHalfUsed) return;
	const message =
		all < most
			? `Keys limited to channels already have ${limited} ${of}, half of this account's maximum. ${advice}`
			: `This account already has ${all} ${of}, the maximum. ${advice}`;
	throw new TooManyRequests(`Too many ${of}`, message, RETRY_SECONDS);
}

/** Whether all of `channels` are among `others`. null: every channel; empty: its channels were deleted. */
export function areWithin(channels: readonly string[] | null, others: readonly string[] | null) {
	if (others === null || channels === null) return others === null;
	return channels.length > 0 && channels.every((slug) => others.includes(slug));
}

/**
 * Checks the key again after its request has waited: a key that was revoked meanwhile, or has lost a channel, gets no
 * response.
 * @throws Refusal `unauthorized`
 */
export async function requireSameKey(db: Db, { keyId, channels }: Caller) {
	if (keyId === null) return;
	const scope = await scopeOfKey(db, keyId);
	if (scope?.revoked_at === null && areWithin(channels, toSlugs(scope))) return;
	throw unauthorized(
		'Unauthorized',
		'The key was revoked or has lost a channel while this request waited. Use another key.',
	);
}
