import {
	isList,
	type PlaygroundList,
	type PlaygroundPreview,
	type PlaygroundRequest,
} from '../contract/console/playground.ts';
import type { PushRequest } from '../contract/push.ts';
import type { ShownActivity } from '../contract/shown.ts';
import { activityById } from '../store/activities/activities.ts';
import { metricByKey } from '../store/metrics.ts';
import type { Activity } from '../store/schema.ts';
import { streamByKey } from '../store/activities/streams.ts';
import { end, start, update } from './activities/requests.ts';
import { changeContent, type Content, toContent } from './shown/content.ts';
import { changeIn } from './activities/decisions.ts';
import { type ActingContext, recordDone } from './audit.ts';
import { shownButton } from './shown/buttons.ts';
import { endedState, shownState } from './shown/content-state.ts';
import { type Caller, type Context, isoTime } from './context.ts';
import { listChannels, listMetrics, listPhones, listStreams } from './lists.ts';
import { setMetric, shownMetric } from './metrics.ts';
import { updateBadge } from './sending/badges.ts';
import { shownNotification } from './sending/push-decision.ts';
import { sendPush, sendRepeatedPush } from './sending/pushes.ts';
import { stopRepeat } from './sending/repeats.ts';
import { deleteStreamByKey, putStream } from './streams/requests.ts';

/**
 * Sends the request as the public API would, and records it in the audit log, unless it only reads.
 * @throws Refusal like the request's own endpoint
 */
export async function sendFromPlayground(
	context: ActingContext,
	caller: Caller,
	request: PlaygroundRequest,
): Promise<object> {
	const answer = await send(context, caller, request);
	if (isList(request)) return answer;
	// Not the title: the audit log outlives the history, in which the content is deleted.
	const subject = 'key' in request ? `${request.request} ${request.key}` : request.request;
	await recordDone(context, caller.accountId, 'sent', subject);
	return answer;
}

function send(context: Context, caller: Caller, sent: PlaygroundRequest): Promise<object> {
	switch (sent.request) {
		case 'push':
			return sendPush(context, caller, sent.body);
		case 'badge':
			return updateBadge(context, caller, sent.body);
		case 'stream':
			return putStream(context, caller, sent.key, sent.body);
		case 'stream_end':
			return deleteStreamByKey(context, caller, sent.key, sent.body);
		case 'start':
			return start(context, caller, sent.body);
		case 'update':
			return update(context, caller, sent.body);
		case 'end':
			return end(context, caller, sent.body);
		case 'metric':
			return setMetric(context, caller, sent.key, sent.body);
		case 'repeated':
			return sendRepeatedPush(context, caller, sent.body);
		case 'repeated_stop':
			return stopRepeat(context, caller, sent.key);
		case 'channels':
			return listChannels(context, caller, sent.body);
		case 'phones':
			return listPhones(context, caller, sent.body);
		case 'metrics':
			return listMetrics(context, caller, sent.body);
		case 'streams':
			return listStreams(context, caller, sent.body);
	}
}

interface Remembered {
	activity: Activity | undefined;
	content: Content | undefined;
}

/** The content into which the request would be merged; nothing for another account's activity. */
async function rememberedFor(
	context: Context,
	accountId: string,
	sent: PlaygroundRequest,
): Promise<Remembered> {
	const db = context.database.read;
	if (sent.request === 'stream' || sent.request === 'stream_end') {
		const stream = await streamByKey(db, accountId, sent.key);
		const activity = stream?.activity_id ? await activityById(db, stream.activity_id) : undefined;
		const source = activity ?? stream;
		return { activity, content: source && toContent(source) };
	}
	if (sent.request !== 'update' && sent.request !== 'end') {
		return { activity: undefined, content: undefined };
	}
	const found = await activityById(db, sent.body.activity_id);
	const activity = found?.account_id === accountId ? found : undefined;
	return { activity, content: activity && toContent(activity) };
}

async function activityPreview(
	context: Context,
	accountId: string,
	sent: Exclude<
		PlaygroundRequest,
		PlaygroundList | { request: 'push' | 'repeated' | 'repeated_stop' | 'badge' | 'metric' }
	>,
): Promise<ShownActivity> {
	const { activity, content } = await rememberedFor(context, accountId, sent);
	const now = context.now();
	const { state, actions: buttons } = changeContent(content, changeIn(sent.body), now);
	const isEnd = sent.request === 'stream_end' || sent.request === 'end';
	return {
		activity_id: activity?.id ?? 'preview',
		stream_key: 'key' in sent ? sent.key : null,
		content_state: shownState(isEnd ? endedState(state, now) : state, now),
		...(buttons.action && { action: shownButton(buttons.action) }),
		...(buttons.secondary_action && { secondary_action: shownButton(buttons.secondary_action) }),
		started_at: isoTime(activity?.started_at ?? now),
		updated_at: isoTime(now),
		dismiss_at: isEnd ? isoTime(now) : null,
	};
}

function pushPreview(request: PushRequest): Omit<PlaygroundPreview, 'server_time'> {
	const { badge } = request;
	return { notification: shownNotification(request), ...(badge !== undefined && { badge }) };
}

/**
 * Previews a request as a phone would show it, by the rules of sending; stores nothing.
 * @throws Refusal `invalid` when the merged state breaks a rule
 */
export async function previewForPlayground(
	context: Context,
	accountId: string,
	sent: PlaygroundRequest,
): Promise<PlaygroundPreview> {
	const serverTime = { server_time: isoTime(context.now()) };
	switch (sent.request) {
		case 'push':
			return { ...serverTime, ...pushPreview(sent.body) };
		case 'repeated':
			return { ...serverTime, ...pushPreview(sent.body.push) };
		case 'repeated_stop':
			return serverTime;
		case 'badge':
			return { ...serverTime, badge: sent.body.badge };
		case 'metric': {
			const metric = await metricByKey(context.database.read, accountId, sent.key);
			const shown = metric
				? shownMetric(metric)
				: { key: sent.key, name: sent.key, format: 'number' as const, unit: null };
			const measuredAt = sent.body.timestamp ?? isoTime(context.now());
			return {
				...serverTime,
				metric: { ...shown, value: sent.body.value, measured_at: measuredAt },
			};
		}
		case 'channels':
		case 'phones':
		case 'metrics':
		case 'streams':
			return serverTime;
		default:
			return { ...serverTime, activity: await activityPreview(context, accountId, sent) };
	}
}
