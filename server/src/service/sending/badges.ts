import type { BadgeRequest, BadgeResponse } from '../../contract/badge.ts';
import type { BadgeFailure } from '../../contract/errors.ts';
import type { FirstAttempts } from '../../delivery/outbox.ts';
import { restoreBadge } from '../../store/phones/devices.ts';
import { markFailed } from '../../store/outbox/outbox-outcomes.ts';
import { reachedBy } from './audience.ts';
import { type Caller, type Context, isoTime } from '../context.ts';
import { badgeRefusal, decideBadge } from './badge-decision.ts';
import { BADGE_LANE } from './delivery-lanes.ts';
import { onBoard } from './on-board.ts';
import { type AcceptedMessage, attempt, countNotified, type OutgoingMessage } from './outgoing.ts';

/** The reason no phone accepted the badge; undefined if one did or still may. */
function toFailure(
	{ deliveries }: OutgoingMessage,
	attempts: FirstAttempts,
): BadgeFailure | undefined {
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
export async function updateBadge(
	context: Context,
	caller: Caller,
	request: BadgeRequest,
): Promise<BadgeResponse> {
	const { badge } = request;
	const concern = { ...reachedBy(caller, request.target?.channels), lane: BADGE_LANE };
	const sent = await onBoard(context, concern, (board) =>
		board.send(decideBadge(board.senders.get(caller.accountId), { caller, request }, board)),
	);
	caller.recorded?.(sent.entry.id);
	const { audience } = sent;
	const attempts = await attempt(context, [sent]);
	const failure = toFailure(sent, attempts);
	if (failure) {
		const refusal = badgeRefusal(failure, badge, audience, audience.devices.length);
		await undo(context, caller.accountId, sent, badge, refusal.message);
		throw refusal;
	}
	const { devices, users } = countNotified(sent, attempts);
	return {
		success: true,
		badge,
		devices_updated: devices,
		users_updated: users,
		devices_notified: devices,
		users_notified: users,
		effective_channel_slugs: audience.slugs,
		timestamp: isoTime(context.now()),
	};
}

/** A badge reported as failed must not arrive later: the caller will send it again. */
async function undo(
	context: Context,
	accountId: string,
	{ audience, deliveries }: AcceptedMessage,
	badge: number,
	reason: string,
): Promise<void> {
	await context.database.write(accountId, async (db) => {
		for (const { id } of deliveries) await markFailed(db, id, reason);
		for (const device of audience.devices) await restoreBadge(db, device.id, badge, device.badge);
	});
}
