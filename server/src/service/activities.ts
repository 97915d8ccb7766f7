import type {
	ChangeResponse,
	EndRequest,
	StartRequest,
	StartResponse,
	UpdateRequest,
} from '../contract/live-activities.ts';
import { activityById, outlivedActivities } from '../store/activities/activities.ts';
import { replaceMetadata, replaceTags } from '../store/history/history.ts';
import type { Activity, Db } from '../store/schema.ts';
import {
	type ActivityChange,
	type ActivityDispatch,
	changeActivity,
	channelsOf,
	endActivity,
	startActivity,
} from './activity-lifecycle.ts';
import { assertRecipients, assertWithinKey, resolveAudience } from './audience.ts';
import { assertMaySend, recordSend } from './billing.ts';
import { assertWebhooksAllowed } from './buttons.ts';
import { ACTIVITY_LIFETIME_MS } from './capacity.ts';
import { type Caller, type Context, isoTime } from './context.ts';
import { attempt, countNotified } from './dispatch.ts';
import { Refusal } from './refusal.ts';

/** Seconds before dismissal after the legacy end (docs/api-decisions.md "Live Activity content"). */
const LEGACY_DISMISS_SECONDS = 3 * 60;

type Request = StartRequest | UpdateRequest | EndRequest;

function changeIn(request: Request): ActivityChange {
	const { content_state: change, action, secondary_action: second, tags, metadata } = request;
	return {
		change,
		actions: { ...(action && { action }), ...(second && { secondary_action: second }) },
		alert: 'alert' in request ? request.alert : undefined,
		tags,
		metadata,
	};
}

/**
 * POST /live-activity/start (service-api.md section 5).
 * @throws Refusal `invalid`, `billing`, `forbidden`, `no_recipients` or `capacity`
 */
export async function start(
	context: Context,
	caller: Caller,
	request: StartRequest,
): Promise<StartResponse> {
	const change = changeIn(request);
	assertWebhooksAllowed({ ...change.actions }, context.settings);
	const { started, ended, audience } = await context.database.write(
		caller.accountId,
		async (db) => {
			const account = await assertMaySend(db, context, caller.accountId);
			const audience = await resolveAudience(db, caller, request.target?.channels);
			assertRecipients(audience);
			const result = await startActivity(db, context, {
				...change,
				account,
				audience,
				keyId: caller.keyId,
				streamKey: null,
			});
			await recordSend(db, context, account);
			return { ...result, audience };
		},
		{ beside: 'other accounts' },
	);
	const notified = countNotified(started, await attempt(context, [...ended, started]));
	return {
		success: true,
		activity_id: started.activity.id,
		devices_notified: notified.devices,
		users_notified: notified.users,
		effective_channel_slugs: audience.slugs,
		...(request.tags && { tags: request.tags }),
		timestamp: isoTime(context.now()),
	};
}

/**
 * Finds the activity if the caller may address it (docs/api-decisions.md "Manual lifecycle").
 * @throws Refusal `not_found` or `forbidden`
 */
async function ownActivity(db: Db, caller: Caller, id: string): Promise<Activity> {
	const activity = await activityById(db, id);
	if (!activity) {
		throw new Refusal(
			'not_found',
			'Live Activity not found',
			'activity_id names no Live Activity. Use the activity_id that start returned.',
		);
	}
	if (activity.account_id !== caller.accountId) {
		throw new Refusal(
			'forbidden',
			'Forbidden',
			'This Live Activity belongs to another account than this API key.',
		);
	}
	assertWithinKey(caller, channelsOf(activity), 'Live Activity');
	return activity;
}

async function answer(context: Context, dispatch: ActivityDispatch): Promise<ChangeResponse> {
	const notified = countNotified(dispatch, await attempt(context, [dispatch]));
	return {
		success: true,
		activity_id: dispatch.activity.id,
		devices_queued: dispatch.queued,
		devices_notified: notified.devices,
		timestamp: isoTime(context.now()),
	};
}

/**
 * POST /live-activity/update (service-api.md section 6).
 * @throws Refusal `invalid`, `forbidden` or `not_found`
 */
export async function update(
	context: Context,
	caller: Caller,
	request: UpdateRequest,
): Promise<ChangeResponse> {
	const change = changeIn(request);
	assertWebhooksAllowed({ ...change.actions }, context.settings);
	const dispatch = await context.database.write(
		caller.accountId,
		async (db) => {
			const activity = await ownActivity(db, caller, request.activity_id);
			if (activity.ended_at !== null) {
				throw new Refusal(
					'not_found',
					'Live Activity not found',
					`This Live Activity ended at ${isoTime(activity.ended_at)} and cannot be updated. Start a new one.`,
				);
			}
			return changeActivity(db, context, activity, change);
		},
		{ beside: 'other accounts' },
	);
	return answer(context, dispatch);
}

/**
 * POST /live-activity/end (service-api.md section 7). Ending twice succeeds with zero counts, so a
 * workflow may do so.
 * @throws Refusal `invalid`, `forbidden` or `not_found`
 */
export async function end(
	context: Context,
	caller: Caller,
	request: EndRequest,
): Promise<ChangeResponse> {
	const change = changeIn(request);
	assertWebhooksAllowed({ ...change.actions }, context.settings);
	const dispatch = await context.database.write(
		caller.accountId,
		async (db): Promise<ActivityDispatch> => {
			const activity = await ownActivity(db, caller, request.activity_id);
			if (activity.ended_at === null) {
				return endActivity(db, context, activity, change, {
					reason: 'ended',
					dismissSeconds: LEGACY_DISMISS_SECONDS,
				});
			}
			if (change.tags) await replaceTags(db, activity.id, change.tags);
			if (change.metadata !== undefined) await replaceMetadata(db, activity.id, change.metadata);
			return { activity, queued: 0, recipients: [], deliveries: [] };
		},
		{ beside: 'other accounts' },
	);
	return answer(context, dispatch);
}

const EXPIRED_AT_ONCE = 100;

/** Ends the activities that iOS has ended after eight hours, to keep phones and capacity in agreement. */
export async function expireActivities(context: Context): Promise<number> {
	const outlived = await outlivedActivities(
		context.database.read,
		context.now() - ACTIVITY_LIFETIME_MS,
		EXPIRED_AT_ONCE,
	);
	const accountIds = new Set(outlived.map(({ account_id: accountId }) => accountId));
	let count = 0;
	for (const accountId of accountIds) {
		const ids = outlived.filter((row) => row.account_id === accountId).map(({ id }) => id);
		const ended = await expireActivitiesOf(context, accountId, ids);
		await attempt(context, ended);
		count += ended.length;
	}
	return count;
}

/** Skips activities that a request or another process has ended meanwhile. */
function expireActivitiesOf(
	context: Context,
	accountId: string,
	ids: readonly string[],
): Promise<ActivityDispatch[]> {
	return context.database.write(accountId, async (db) => {
		const dispatches: ActivityDispatch[] = [];
		for (const id of ids) {
			const activity = await activityById(db, id);
			if (activity?.ended_at !== null) continue;
			dispatches.push(await endActivity(db, context, activity, undefined, { reason: 'expired' }));
		}
		return dispatches;
	});
}
