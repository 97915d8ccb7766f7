import type {
	StreamDeleteRequest,
	StreamDeleteResponse,
	StreamPutRequest,
	StreamPutResponse,
} from '../../contract/live-activities.ts';
import { readChange } from '../activities/decisions.ts';
import { toReachQuery } from '../sending/audience.ts';
import { type Caller, type Context, isoTime } from '../context.ts';
import { decideInSet } from '../sending/on-board.ts';
import { attempt, countNotified } from '../sending/outgoing.ts';
import { decideDelete, decidePause, decidePut, decideResume, type PutInput } from './decisions.ts';

/**
 * PUT /live-activity/stream/{stream_key}: starts, updates or rotates the
 * stream's one activity.
 * @throws Refusal `invalid`, `billing`, `forbidden`, `no_recipients` or `capacity`
 */
export async function putStream(
	context: Context,
	caller: Caller,
	streamKey: string,
	request: StreamPutRequest,
	options: Pick<PutInput, 'alertsOnlyAtStart'> = {},
): Promise<StreamPutResponse> {
	const change = await readChange(context, caller, request);
	const channels = request.channels ?? request.target?.channels;
	const path = request.channels && 'channels';
	const input = { caller, streamKey, channels, path, change, ...options };
	const start = { type: request.content_state.type, hasAlert: request.alert !== undefined };
	const needs = { ...toReachQuery(caller, channels), streamKey, start };
	const { applied, audience } = await decideInSet(context, needs, (board) =>
		decidePut(board, input),
	);
	const { operation, activity, previous, messages } = applied;
	if (activity) caller.onRecorded?.(activity.id);
	const attempts = await attempt(context, messages);
	const last = messages.at(-1);
	const notified = last && countNotified(last, attempts);
	return {
		success: true,
		operation,
		stream_key: streamKey,
		activity_id: activity?.id ?? null,
		...(previous && { previous_activity_id: previous.id }),
		...{ devices_notified: 0, users_notified: 0, ...notified },
		devices_queued: last?.queued ?? 0,
		effective_channel_slugs: audience.slugs,
		...(request.tags && { tags: request.tags }),
		timestamp: isoTime(context.now()),
	};
}

/**
 * DELETE /live-activity/stream/{stream_key}.
 * @throws Refusal `invalid`, `forbidden` or `not_found`
 */
export async function deleteStreamByKey(
	context: Context,
	caller: Caller,
	streamKey: string,
	request: StreamDeleteRequest,
): Promise<StreamDeleteResponse> {
	const change = await readChange(context, caller, request);
	const { accountId, channels: scope } = caller;
	const ended = await decideInSet(context, { accountId, scope, streamKey }, (board) =>
		decideDelete(board, { caller, streamKey, change }),
	);
	if (ended) caller.onRecorded?.(ended.activity.id);
	const notified = ended && countNotified(ended, await attempt(context, [ended]));
	return {
		success: true,
		operation: 'ended',
		stream_key: streamKey,
		activity_id: ended?.activity.id ?? null,
		devices_queued: ended?.queued ?? 0,
		devices_notified: notified?.devices_notified ?? 0,
		timestamp: isoTime(context.now()),
	};
}

/**
 * Ends the stream's activity and keeps its state; later updates are stored until it is resumed.
 * @throws Refusal `not_found` or `conflict`
 */
export async function pauseStream(context: Context, accountId: string, streamKey: string) {
	const ended = await decideInSet(context, { accountId, streamKey }, (board) =>
		decidePause(board, accountId, streamKey),
	);
	if (ended) await attempt(context, [ended]);
}

/**
 * Restarts the stream's activity from the stored state. If there is no such state or no recipient, the
 * next update starts it.
 * @returns whether an activity was started
 * @throws Refusal `not_found`, `conflict`, `billing` or `capacity`
 */
export async function resumeStream(context: Context, accountId: string, streamKey: string) {
	const applied = await decideInSet(
		context,
		{ accountId, streamKey, slugs: 'stored', start: {} },
		(board) => decideResume(board, accountId, streamKey),
	);
	if (!applied) return false;
	await attempt(context, applied.messages);
	return true;
}
