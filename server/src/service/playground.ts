import type { PlaygroundPreview, PlaygroundRequest } from '../contract/console/playground.ts';
import type { PushRequest } from '../contract/push.ts';
import type { QuestionRequest } from '../contract/questions.ts';
import { activityById, showing, streamByKey } from '../store/activities/activities.ts';
import { countRows } from '../store/list-pages.ts';
import { metricByKey } from '../store/metrics.ts';
import { changeContent, shownActivity, toContent } from './shown/content.ts';
import { changeIn } from './activities/decisions.ts';
import { endedState } from './shown/content-state.ts';
import { type Context, isoTime } from './context.ts';
import { shownMetric } from './metrics.ts';
import { toDeadline } from './questions/decisions.ts';
import { pushOf } from './questions/question.ts';
import { decideAudience, loadReach, NOBODY, toReachQuery } from './sending/audience.ts';
import { shownNotification } from './sending/push-decision.ts';

type OfActivity = Extract<
	PlaygroundRequest,
	{ request: 'stream' | 'stream_end' | 'start' | 'update' | 'end' }
>;

type Shown = Omit<PlaygroundPreview, 'server_time' | 'phones'>;

/** The content into which the request would be merged; nothing for another account's activity. */
async function rememberedFor(context: Context, accountId: string, sent: OfActivity) {
	const db = context.database.read;
	if (sent.request === 'stream' || sent.request === 'stream_end') {
		const stream = await streamByKey(db, accountId, sent.key);
		const activity = stream?.activity_id ? await activityById(db, stream.activity_id) : undefined;
		const source = activity ?? stream;
		return { activity, content: source && toContent(source) };
	}
	if (sent.request === 'start') return { activity: undefined, content: undefined };
	const found = await activityById(db, sent.body.activity_id);
	const activity = found?.account_id === accountId ? found : undefined;
	return { activity, content: activity && toContent(activity) };
}

async function activityPreview(context: Context, accountId: string, sent: OfActivity) {
	const { activity, content } = await rememberedFor(context, accountId, sent);
	const now = context.now();
	const { state, actions } = changeContent(content, changeIn(sent.body), now);
	const isEnd = sent.request === 'stream_end' || sent.request === 'end';
	const shown = {
		id: activity?.id ?? 'preview',
		stream_key: 'key' in sent ? sent.key : null,
		started_at: activity?.started_at ?? now,
		updated_at: now,
		dismiss_at: isEnd ? now : null,
	};
	return shownActivity(shown, now, { state: isEnd ? endedState(state, now) : state, actions });
}

function pushPreview(request: PushRequest): Shown {
	const { badge } = request;
	return { notification: shownNotification(request), ...(badge !== undefined && { badge }) };
}

function questionPreview(question: QuestionRequest, now: number): Shown {
	const { choices, text, link, answerable_by: names } = question;
	return {
		notification: {
			...shownNotification(pushOf(question)),
			question: {
				question_id: 'preview',
				status: 'open',
				...{ choices, text, link },
				...(names && { answerable_by: names.map((name) => ({ id: name, name })) }),
				deadline_at: isoTime(toDeadline(question, now)),
				callback: 'none',
			},
		},
	};
}

/** The channels that a request targets; undefined: every phone. */
function channelsIn(sent: PlaygroundRequest): readonly string[] | undefined {
	if (sent.request === 'stream' && sent.body.channels) return sent.body.channels;
	const body = sent.request === 'repeated' ? sent.body.push : sent.body;
	return 'target' in body ? body.target?.channels : undefined;
}

/**
 * Counts the phones that a request would reach; null: it goes to no phones.
 * @throws Refusal `invalid` for an unknown channel
 */
async function countPhones(
	{ database }: Context,
	accountId: string,
	sent: PlaygroundRequest,
	{ activity, notification, badge }: Shown,
): Promise<number | null> {
	if (sent.request === 'stream_end' || sent.request === 'update' || sent.request === 'end')
		return database.readInTurn((db) => countRows(showing(db, activity?.activity_id ?? '')));
	if (!activity && !notification && badge === undefined) return null;
	const caller = { accountId, keyId: null, channels: null };
	const channels = channelsIn(sent);
	const query = toReachQuery(caller, channels);
	const reach = await database.readInTurn((db) => loadReach(db, [query]));
	return decideAudience(reach.get(accountId) ?? NOBODY, caller, channels).devices.length;
}

async function toShown(
	context: Context,
	accountId: string,
	sent: PlaygroundRequest,
): Promise<Shown> {
	switch (sent.request) {
		case 'push':
			return pushPreview(sent.body);
		case 'question':
			return questionPreview(sent.body, context.now());
		case 'repeated':
			return pushPreview(sent.body.push);
		case 'badge':
			return { badge: sent.body.badge };
		case 'metric': {
			const metric = await metricByKey(context.database.read, accountId, sent.key);
			const shown = metric
				? shownMetric(metric)
				: { key: sent.key, name: sent.key, format: 'number' as const, unit: null };
			const measuredAt = sent.body.timestamp ?? isoTime(context.now());
			return { metric: { ...shown, value: sent.body.value, measured_at: measuredAt } };
		}
		case 'stream':
		case 'stream_end':
		case 'start':
		case 'update':
		case 'end':
			return { activity: await activityPreview(context, accountId, sent) };
		default:
			return {};
	}
}

/**
 * Previews a request as a phone would show it, by the same rules as sending; stores nothing.
 * @throws Refusal `invalid` when the merged state breaks a rule, or for an unknown channel
 */
export async function previewForPlayground(
	context: Context,
	accountId: string,
	sent: PlaygroundRequest,
): Promise<PlaygroundPreview> {
	const shown = await toShown(context, accountId, sent);
	const phones = await countPhones(context, accountId, sent, shown);
	return { ...shown, server_time: isoTime(context.now()), phones };
}
