import type { BadgeRequest } from '../../contract/badge.ts';
import type { BadgeFailure, BadgeUpdateError } from '../../contract/errors.ts';
import { assertRecipients, type Audience, decideAudience } from './audience.ts';
import { accountGone } from './billing.ts';
import type { Caller } from '../context.ts';
import { Refusal } from '../refusal.ts';
import { newHistoryId } from '../secrets.ts';
import { BADGE_LANE, type Lanes } from './delivery-lanes.ts';
import { type AcceptedMessage, toMessage, toOutgoing } from './outgoing.ts';
import { type SendingAccount, withBadges } from './account.ts';

export interface BadgeInput {
	caller: Caller;
	request: BadgeRequest;
}

const FAILURES: Record<
	BadgeFailure,
	{ kind: 'badge_disconnected' | 'badge_failed'; message: string }
> = {
	badge_device_disconnected: {
		kind: 'badge_disconnected',
		message: 'Every targeted phone is disconnected. Pair it again, then send the badge again.',
	},
	badge_update_failed: {
		kind: 'badge_failed',
		message: 'The badge reached none of the targeted phones. Send it again in a moment.',
	},
};

export function badgeRefusal(
	code: BadgeFailure,
	badge: number,
	audience: Audience,
	targeted: number,
): Refusal {
	const body: Omit<BadgeUpdateError, 'error' | 'message'> = {
		code,
		badge,
		devices_targeted: targeted,
		devices_updated: 0,
		users_updated: 0,
		devices_notified: 0,
		effective_channel_slugs: audience.slugs,
	};
	return new Refusal(FAILURES[code].kind, 'Badge update failed', FAILURES[code].message, body);
}

/**
 * Decides a badge based on the account as earlier requests of the set left it, and updates it for later
 * ones.
 * @param lanes pending deliveries of the set's devices
 * @returns its audience has the devices with their previous badges
 * @throws Refusal `unauthorized`, `invalid`, `forbidden`, `no_recipients` or `badge_disconnected`;
 *         `sender` and `lanes` are then unchanged
 */
export function decideBadge(
	sender: SendingAccount | undefined,
	{ caller, request }: BadgeInput,
	{ lanes, now }: { lanes: Lanes; now: number },
): AcceptedMessage {
	if (!sender) throw accountGone();
	const { badge } = request;
	const audience = decideAudience(sender, caller, request.target?.channels);
	if (audience.devices.length === 0 && audience.disconnected.length > 0)
		throw badgeRefusal('badge_device_disconnected', badge, audience, audience.disconnected.length);
	assertRecipients(audience);
	const before = withBadges(sender, audience.devices);
	for (const { id } of before) sender.badges.set(id, badge);
	const entry = {
		id: newHistoryId(now),
		account_id: caller.accountId,
		api_key_id: caller.keyId,
		kind: 'badge' as const,
		title: badge === 0 ? 'Badge cleared' : `Badge ${badge}`,
		channels: audience.slugs,
		created_at: now,
		request_id: caller.requestId ?? null,
	};
	const message = toMessage(entry, { content_json: JSON.stringify(badge), lane: BADGE_LANE });
	// A badge is never muted: it makes no sound.
	const outgoing = toOutgoing(message, { devices: withBadges(sender, audience.devices) }, lanes);
	return { ...outgoing, entry, audience: { ...audience, devices: before } };
}
