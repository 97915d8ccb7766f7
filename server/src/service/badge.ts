import type { BadgeRequest, BadgeResponse } from '../contract/badge.ts';
import type { BadgeFailure, BadgeUpdateError } from '../contract/errors.ts';
import type { FirstAttempts } from '../delivery/outbox.ts';
import { restoreBadge, setBadge } from '../store/devices.ts';
import { insertHistory } from '../store/history.ts';
import { markFailed } from '../store/outbox-outcomes.ts';
import { type Audience, assertRecipients, resolveAudience } from './audience.ts';
import { type Caller, type Context, isoTime } from './context.ts';
import { attempt, countNotified, type Dispatch, storeDispatch } from './dispatch.ts';
import { Refusal } from './refusal.ts';
import { newHistoryId } from './secrets.ts';

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

function badgeRefusal(
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

/** Why no phone took the badge, or undefined when one did or may still. */
function failureOf({ deliveries }: Dispatch, attempts: FirstAttempts): BadgeFailure | undefined {
	const outcomes = deliveries.map(({ id }) => attempts.get(id)?.kind);
	if (outcomes.every((kind) => kind === 'gone')) return 'badge_device_disconnected';
	const failed = outcomes.every(
		(kind) => kind === 'gone' || kind === 'retry' || kind === 'refused',
	);
	return failed ? 'badge_update_failed' : undefined;
}

/**
 * POST /badge (service-api.md section 1).
 * @throws Refusal `invalid`, `forbidden`, `no_recipients`, `badge_disconnected` or `badge_failed`
 */
export async function updateBadge(
	context: Context,
	caller: Caller,
	request: BadgeRequest,
): Promise<BadgeResponse> {
	const { badge } = request;
	const { audience, dispatch } = await context.database.write(
		caller.accountId,
		async (db) => {
			const audience = await resolveAudience(db, caller, request.target?.channels);
			if (audience.devices.length === 0 && audience.disconnected.length > 0) {
				throw badgeRefusal(
					'badge_device_disconnected',
					badge,
					audience,
					audience.disconnected.length,
				);
			}
			assertRecipients(audience);
			const historyId = newHistoryId(context.now());
			await insertHistory(db, {
				id: historyId,
				account_id: caller.accountId,
				api_key_id: caller.keyId,
				kind: 'badge',
				title: badge === 0 ? 'Badge cleared' : `Badge ${badge}`,
				channels: audience.slugs,
				tags: undefined,
				metadata: undefined,
				created_at: context.now(),
			});
			await setBadge(
				db,
				audience.devices.map(({ id }) => id),
				badge,
			);
			const dispatch = await storeDispatch(
				db,
				context,
				{
					account_id: caller.accountId,
					history_id: historyId,
					kind: 'badge',
					content_json: JSON.stringify(badge),
					lane: 'badge',
				},
				{ slugs: null, devices: audience.devices.map((device) => ({ ...device, badge })) },
			);
			return { audience, dispatch };
		},
		{ beside: 'other accounts' },
	);

	const attempts = await attempt(context, [dispatch]);
	const failure = failureOf(dispatch, attempts);
	if (failure) {
		await undo(context, caller.accountId, audience, dispatch, badge, FAILURES[failure].message);
		throw badgeRefusal(failure, badge, audience, audience.devices.length);
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

/** What is answered as failed must not arrive later: the caller will send it again. */
async function undo(
	context: Context,
	accountId: string,
	audience: Audience,
	dispatch: Dispatch,
	badge: number,
	reason: string,
): Promise<void> {
	await context.database.write(accountId, async (db) => {
		for (const { id } of dispatch.deliveries) await markFailed(db, id, reason);
		for (const device of audience.devices) await restoreBadge(db, device.id, badge, device.badge);
	});
}
