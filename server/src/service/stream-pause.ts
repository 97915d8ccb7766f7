import { activityById } from '../store/activities/activities.ts';
import { tagsOf } from '../store/history/history.ts';
import { toJson } from '../store/json.ts';
import { saveStream, streamByKey } from '../store/activities/streams.ts';
import { type ActivityChange, channelsOf, endActivity } from './activity-lifecycle.ts';
import { resolveAudience } from './audience.ts';
import { assertMaySend } from './billing.ts';
import type { Caller, Context } from './context.ts';
import { attempt } from './dispatch.ts';
import { Refusal } from './refusal.ts';
import { begin } from './stream-change.ts';
import { streamNotFound } from './streams.ts';

/**
 * Ends the stream's activity and keeps its state; later updates are remembered until it is resumed.
 * @throws Refusal `not_found` or `conflict`
 */
export async function pauseStream(
	context: Context,
	accountId: string,
	streamKey: string,
): Promise<void> {
	const ended = await context.database.write(accountId, async (db) => {
		const stream = await streamByKey(db, accountId, streamKey);
		if (!stream) throw streamNotFound(streamKey);
		if (stream.paused_at !== null)
			throw new Refusal('conflict', 'Already paused', 'This stream is paused already.');
		const activity = stream.activity_id ? await activityById(db, stream.activity_id) : undefined;
		const dispatch =
			activity?.ended_at === null
				? await endActivity(db, context, activity, undefined, { reason: 'paused' })
				: undefined;
		await saveStream(db, {
			...stream,
			activity_id: null,
			...(activity && {
				// The state from before the end: a running timer continues when the stream is resumed.
				state_json: activity.state_json,
				actions_json: activity.actions_json,
				tags_json: toJson(await tagsOf(db, activity.id)),
			}),
			paused_at: context.now(),
			updated_at: context.now(),
		});
		return dispatch;
	});
	if (ended) await attempt(context, [ended]);
}

/**
 * Restarts the stream's activity from the remembered state. If there is no such state or no recipient, the
 * next update starts it.
 * @returns whether an activity was started
 * @throws Refusal `not_found`, `conflict`, `billing` or `capacity`
 */
export async function resumeStream(
	context: Context,
	accountId: string,
	streamKey: string,
): Promise<boolean> {
	const applied = await context.database.write(accountId, async (db) => {
		const stream = await streamByKey(db, accountId, streamKey);
		if (!stream) throw streamNotFound(streamKey);
		if (stream.paused_at === null)
			throw new Refusal('conflict', 'Not paused', 'This stream is not paused.');
		const resumed = { ...stream, paused_at: null };
		await saveStream(db, { ...resumed, updated_at: context.now() });
		if (!stream.state_json) return undefined;
		const account = await assertMaySend(db, context, accountId);
		const caller: Caller = { accountId, keyId: null, channels: channelsOf(stream) };
		const audience = await resolveAudience(db, caller, undefined);
		if (audience.devices.length === 0) return undefined;
		const change: ActivityChange = { change: {}, actions: {} };
		return begin({
			db,
			context,
			caller,
			account,
			audience,
			stream: resumed,
			activity: undefined,
			change,
			streamKey,
		});
	});
	if (!applied) return false;
	await attempt(context, applied.dispatches);
	return true;
}
