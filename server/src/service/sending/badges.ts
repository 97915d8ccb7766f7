import type { BadgeRequest, BadgeResponse } from '../../contract/badge.ts';
import type { BadgeFailure, BadgeUpdateError } from '../../contract/errors.ts';
import type { FirstAttempts } from '../../delivery/outbox.ts';
import { restoreBadge } from '../../store/phones/devices.ts';
import { markFailed } from '../../store/outbox/outcomes.ts';
import { requireRecipients, type Audience, decideAudience, toReachQuery } from './audience.ts';
import { type Caller, type Context, isoTime } from '../context.ts';
import { decideInSet } from './on-board.ts';
import {
	type AcceptedMessage,
	attempt,
	countNotified,
	newEntry,
	type OutgoingMessage,
	toMessage,
	toOutgoing,
} from './outgoing.ts';
import { accountGone, type SendingAccount, withBadges } from './account.ts';
import { Refusal } from '../refusal.ts';
import { BADGE_LANE } from './delivery-lanes.ts';

/** The reason no phone accepted the badge; undefined if one did or still may. */
function toFailure({ deliveries }: OutgoingMessage, attempts: FirstAttempts) {
	const outcomes = deliveries.map(({ id }) => attempts.get(id)?.kind);
	if (outcomes.every((kind) => kind === 'gone')) return 'badge_device_disconnected';
	const failed = outcomes.every(
		(kind) => kind === 'gone' || kind === 'retry' || kind === 'refused',
	);
	return failed ? 'badge_update_failed' : undefined;
}

/**
 * POST /badge (docs/api-decisions.md "Recipients and counts").
 * @throws Refusal `invalid`, `forbidden`, `no_recipients`, `badge_disconnected` or `badge_failed`
 */
export async function updateBadge(context: Context, caller: Caller, request: BadgeRequest) {
	const { badge } = request;
	const needs = toReachQuery(caller, request.target?.channels);
	const sent = await decideInSet(context, needs, (board) =>
		board.send(decideBadge(board.senders.get(caller.accountId), { caller, request }, board)),
	);
	caller.onRecorded?.(sent.entry.id);
	const { audience } = sent;
	const attempts = await attempt(context, [sent]);
	const failure = toFailure(sent, attempts);
	if (failure) {
		const refusal = badgeRefusal(failure, badge, audience, audience.devices.length);
		await undo(context, caller.accountId, sent, badge, refusal.message);
		throw refusal;
	}
	const notified = countNotified(sent, attempts);
	return {
		success: true,
		badge,
		devices_updated: notified.devices_notified,
		users_updated: notified.users_notified,
		...notified,
		effective_channel_slugs: audience.slugs,
		timestamp: isoTime(context.now()),
	} satisfies BadgeResponse;
}

/** A badge reported as failed must not arrive later: the caller will send it again. */
async function undo(
	context: Context,
	accountId: string,
	{ audience, deliveries }: AcceptedMessage,
	badge: number,
	reason: string,
) {
	await context.database.write(accountId, async (db) => {
		for (const { id } of deliveries) await markFailed(db, id, reason);
		for (const { id, badge: before } of audience.devices)
			await restoreBadge(db, id, badge, { badge: before });
	});
}

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

function badgeRefusal(code: BadgeFailure, badge: number, audience: Audience, targeted: number) {
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
 * @returns its audience has the devices with their previous badges
 * @throws Refusal `unauthorized`, `invalid`, `forbidden`, `no_recipients` or `badge_disconnected`;
 *         `sender` is then unchanged
 */
export function decideBadge(
	sender: SendingAccount | undefined,
	{ caller, request }: BadgeInput,
	{ now }: { now: number },
): AcceptedMessage {
	if (!sender) throw accountGone();
	const { badge } = request;
	const audience = decideAudience(sender, caller, request.target?.channels);
	if (audience.devices.length === 0 && audience.disconnected.length > 0)
		throw badgeRefusal('badge_device_disconnected', badge, audience, audience.disconnected.length);
	requireRecipients(audience);
	const before = withBadges(sender, audience.devices);
	for (const { id } of before) sender.badges.set(id, badge);
	const title = badge === 0 ? 'Badge cleared' : `Badge ${badge}`;
	const entry = { ...newEntry('badge', caller, now), title, channels: audience.slugs };
	const message = toMessage(entry, { content_json: JSON.stringify(badge), lane: BADGE_LANE });
	// A badge is never muted: it makes no sound.
	const outgoing = toOutgoing(message, { devices: withBadges(sender, audience.devices) });
	return { ...outgoing, entry, audience: { ...audience, devices: before } };
}
