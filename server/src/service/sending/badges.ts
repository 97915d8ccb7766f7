import type { BadgeRequest, BadgeResponse } from '../../contract/badge.ts';
import type { BadgeFailure } from '../../contract/errors.ts';
import type { FirstAttempts } from '../../delivery/outbox.ts';
import { restoreBadge } from '../../store/phones/devices.ts';
import type { Decision } from '../../store/engine/sets.ts';
import { markFailed } from '../../store/outbox/outbox-outcomes.ts';
import type { Db } from '../../store/schema.ts';
import { reachedBy } from './audience.ts';
import { type Caller, type Context, isoTime } from '../context.ts';
import { attempt, countNotified, type Dispatch } from './dispatch.ts';
import {
	BADGE_LANE,
	type BadgeInput as BadgeAsked,
	badgeRefusal,
	type DecidedBadge,
	decideBadge,
} from './badge-decision.ts';
import { loadLanes } from './lanes.ts';
import { storeSendings } from './outgoing.ts';
import { loadSendingAccounts as loadSenders, type SendingAccount as Sender } from './account.ts';
import { accepted, decideInTurn, inSets } from './sets.ts';

/** The reason no phone took the badge; undefined if one did or still may. */
function toFailure({ deliveries }: Dispatch, attempts: FirstAttempts): BadgeFailure | undefined {
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
	const dispatch = await storeBadge(context, caller.accountId, { caller, request });
	const { audience } = dispatch;
	const attempts = await attempt(context, [dispatch]);
	const failure = toFailure(dispatch, attempts);
	if (failure) {
		const refusal = badgeRefusal(failure, badge, audience, audience.devices.length);
		await undo(context, caller.accountId, dispatch, badge, refusal.message);
		throw refusal;
	}
	const { devices, users } = countNotified(dispatch, attempts);
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

const storeBadge = inSets<BadgeAsked, DecidedBadge>(storeBadges);

async function storeBadges(
	db: Db,
	context: Context,
	asked: readonly BadgeAsked[],
): Promise<Array<Decision<DecidedBadge>>> {
	const now = context.now();
	const senders = await loadSenders(
		db,
		asked.map(({ caller, request }) => reachedBy(caller, request.target?.channels)),
		now,
	);
	const lanes = await loadLanes(db, new Map([[BADGE_LANE, deviceIds(senders.values())]]), now);
	const decisions = decideInTurn(
		asked,
		(badge) => decideBadge(senders.get(badge.caller.accountId), badge, { lanes, now }),
		(badge) => [badge],
	);
	await storeSendings(db, accepted(decisions), senders.values(), lanes);
	return decisions;
}

/** The ids of all loaded devices. */
function deviceIds(senders: Iterable<Sender>): Set<string> {
	const loaded = [...senders].flatMap(({ devices, channels }) => [
		...devices,
		...[...channels.values()].flat(),
	]);
	return new Set(loaded.map(({ id }) => id));
}

/** A badge reported as failed must not arrive later: the caller will send it again. */
async function undo(
	context: Context,
	accountId: string,
	{ audience, deliveries }: DecidedBadge,
	badge: number,
	reason: string,
): Promise<void> {
	await context.database.write(accountId, async (db) => {
		for (const { id } of deliveries) await markFailed(db, id, reason);
		for (const device of audience.devices) await restoreBadge(db, device.id, badge, device.badge);
	});
}
