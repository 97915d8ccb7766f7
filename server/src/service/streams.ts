import type {
	StreamDeleteRequest,
	StreamDeleteResponse,
	StreamPutRequest,
	StreamPutResponse,
} from '../contract/live-activities.ts';
import { activityById } from '../store/activities/activities.ts';
import { deleteStream, streamByKey } from '../store/activities/streams.ts';
import { type ActivityChange, channelsOf, endActivity } from './activity-lifecycle.ts';
import { assertWithinKey, resolveAudience } from './audience.ts';
import { assertMaySend } from './billing.ts';
import { assertWebhooksAllowed } from './buttons.ts';
import { type Caller, type Context, isoTime } from './context.ts';
import { attempt, countNotified } from './dispatch.ts';
import { Refusal } from './refusal.ts';
import { applyChange } from './stream-change.ts';

/**
 * Seconds a stream's ended activity stays on the lock screen (docs/api-decisions.md "Live Activity
 * content").
 */
const STREAM_DISMISS_SECONDS = 2 * 60;

function changeIn(request: StreamPutRequest | StreamDeleteRequest): ActivityChange {
	const {
		content_state: change = {},
		action,
		secondary_action: second,
		alert,
		tags,
		metadata,
	} = request;
	return {
		change,
		actions: { ...(action && { action }), ...(second && { secondary_action: second }) },
		alert,
		tags,
		metadata,
	};
}

/**
 * PUT /live-activity/stream/{stream_key} (service-api.md section 3): starts, updates or rotates the
 * stream's one activity, in one transaction.
 * @throws Refusal `invalid`, `billing`, `forbidden`, `no_recipients` or `capacity`
 */
export async function putStream(
	context: Context,
	caller: Caller,
	streamKey: string,
	request: StreamPutRequest,
): Promise<StreamPutResponse> {
	const change = changeIn(request);
	assertWebhooksAllowed({ ...change.actions }, context.settings);
	const { applied, audience } = await context.database.write(
		caller.accountId,
		async (db) => {
			const account = await assertMaySend(db, context, caller.accountId);
			const audience = await resolveAudience(
				db,
				caller,
				request.channels ?? request.target?.channels,
				request.channels && 'channels',
			);
			const stream = await streamByKey(db, caller.accountId, streamKey);
			if (stream) assertWithinKey(caller, channelsOf(stream), 'stream');
			const activity = stream?.activity_id ? await activityById(db, stream.activity_id) : undefined;
			const step = { db, context, caller, account, audience, stream, activity, change, streamKey };
			return { applied: await applyChange(step), audience };
		},
		{ beside: 'other accounts' },
	);
	const { operation, activity, previous, dispatches } = applied;
	const attempts = await attempt(context, dispatches);
	const last = dispatches.at(-1);
	const notified = last ? countNotified(last, attempts) : { devices: 0, users: 0 };
	return {
		success: true,
		operation,
		stream_key: streamKey,
		activity_id: activity?.id ?? null,
		...(previous && { previous_activity_id: previous.id }),
		devices_notified: notified.devices,
		devices_queued: last?.queued ?? 0,
		users_notified: notified.users,
		effective_channel_slugs: audience.slugs,
		...(request.tags && { tags: request.tags }),
		timestamp: isoTime(context.now()),
	};
}

export function streamNotFound(streamKey: string): Refusal {
	return new Refusal(
		'not_found',
		'Stream not found',
		`There is no stream with the key ${streamKey}. It has ended already, or was never started.`,
	);
}

/**
 * DELETE /live-activity/stream/{stream_key} (service-api.md section 4).
 * @throws Refusal `invalid`, `forbidden` or `not_found`
 */
export async function deleteStreamByKey(
	context: Context,
	caller: Caller,
	streamKey: string,
	request: StreamDeleteRequest,
): Promise<StreamDeleteResponse> {
	const change = changeIn(request);
	assertWebhooksAllowed({ ...change.actions }, context.settings);
	const ended = await context.database.write(
		caller.accountId,
		async (db) => {
			const stream = await streamByKey(db, caller.accountId, streamKey);
			if (!stream) throw streamNotFound(streamKey);
			assertWithinKey(caller, channelsOf(stream), 'stream');
			const activity = stream.activity_id ? await activityById(db, stream.activity_id) : undefined;
			const dispatch =
				activity?.ended_at === null
					? await endActivity(db, context, activity, change, {
							reason: 'ended',
							dismissSeconds: STREAM_DISMISS_SECONDS,
						})
					: undefined;
			await deleteStream(db, caller.accountId, streamKey);
			return dispatch;
		},
		{ beside: 'other accounts' },
	);
	const notified = ended && countNotified(ended, await attempt(context, [ended]));
	return {
		success: true,
		operation: 'ended',
		stream_key: streamKey,
		activity_id: ended?.activity.id ?? null,
		devices_queued: ended?.queued ?? 0,
		devices_notified: notified?.devices ?? 0,
		timestamp: isoTime(context.now()),
	};
}
