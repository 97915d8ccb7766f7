import type { PushRequest, PushResponse } from '../../contract/push.ts';
import type { RepeatedPushRequest, RepeatedPushResponse } from '../../contract/repeats.ts';
import type { AskedResponse, QuestionRequest } from '../../contract/questions.ts';
import { type NewHistoryEntry, toStoredKey } from '../../store/history/history.ts';
import { toReachQuery } from './audience.ts';
import { requireWebhooksAllowed, triggerOf } from '../shown/buttons.ts';
import { requireTriggersKnown } from '../triggers/listen.ts';
import { type Caller, type Context, isoTime } from '../context.ts';
import {
	type IdempotencyKey,
	keptPart,
	type KeyHashes,
	toKeptJson,
	toKeyHashes,
} from './idempotency.ts';
import { pushOf } from '../questions/question.ts';
import { invalidField } from '../refusal.ts';
import { decideInSet } from './on-board.ts';
import { type AcceptedMessage, attempt, countNotified } from './outgoing.ts';
import { decidePush, type PushInput } from './push-decision.ts';

/** Options from the headers of a push, and `among` for one that is sent again. */
export interface PushOptions extends Pick<PushInput, 'sequenceId' | 'ttl' | 'among'> {
	/** A retry of the request with the same key delivers nothing. */
	key?: IdempotencyKey | undefined;
}

/**
 * POST /push-notification (docs/api-decisions.md "Recipients and counts").
 * @throws Refusal `invalid`, `billing`, `forbidden`, `no_recipients` or `key_reused`, without storing anything
 */
export async function sendPush(
	context: Context,
	caller: Caller,
	request: PushRequest,
	{ key, ...options }: PushOptions = {},
): Promise<PushResponse> {
	await requireButtonsAllowed(context, caller, request, '');
	return send(context, { caller, request, ...options }, key);
}

/**
 * POST /push-notification/repeated: a push that is delivered again until someone reacts
 * (docs/api-decisions.md "Beckon's additions").
 * @throws Refusal like `sendPush`
 */
export async function sendRepeatedPush(
	context: Context,
	caller: Caller,
	{ push: request, repeat }: RepeatedPushRequest,
	{ key, ...options }: PushOptions,
): Promise<RepeatedPushResponse> {
	await requireButtonsAllowed(context, caller, request, 'push.');
	const input = { caller, request, repeat, ...options };
	const { repeat_id: id, ...response } = await send(context, input, key);
	if (id === undefined) throw new Error('A repeated push has no repeat');
	return { ...response, repeat_id: id };
}

/**
 * POST /questions (docs/api-decisions.md "Questions").
 * @throws Refusal like `sendPush`, or `too_many` for an account with too many open questions
 */
export async function askQuestion(
	context: Context,
	caller: Caller,
	question: QuestionRequest,
	key?: IdempotencyKey,
): Promise<AskedResponse> {
	const { callback } = question;
	const webhook = { title: '', type: 'webhook' as const, method: 'POST' as const };
	const url = callback && { ...webhook, url: callback.url };
	requireWebhooksAllowed({ callback: url }, context.settings);
	if (url && triggerOf(url))
		throw invalidField('callback.url', 'must not be the address of a trigger', 'Invalid callback');
	const request = pushOf(question);
	const response = await send(context, { caller, request, question }, key);
	const { question_id: id, status, deadline_at } = response;
	if (id === undefined || status === undefined || deadline_at === undefined)
		throw new Error('A question was not asked');
	return { ...response, question_id: id, status, deadline_at };
}

type Result = PushResponse & Partial<RepeatedPushResponse> & Partial<AskedResponse>;

/** What a response says beyond the entry of its push. */
type ResultPart = Omit<Result, 'success' | 'effective_channel_slugs' | 'tags' | 'timestamp'>;

async function send(context: Context, input: PushInput, key?: IdempotencyKey): Promise<Result> {
	const push = await storePush(context, input, key && toKeyHashes(input, key));
	if ('kept' in push) key?.onReplayed();
	const part =
		'kept' in push
			? push.kept
			: toPart(push, await attempt(context, [...(push.onActivity ?? []), push]));
	input.caller.onRecorded?.(push.entry.id);
	return toResult(push.entry, part);
}

/** Stores a push. @returns the push, or the response kept for its key */
function storePush(context: Context, input: PushInput, keyed?: KeyHashes) {
	const { caller, request, question } = input;
	const reached = toReachQuery(caller, request.target?.channels);
	const escalated = question?.escalate && toReachQuery(caller, question.escalate.target.channels);
	const needs = {
		...reached,
		...(keyed && { keyHash: keyed.hash }),
		...(question && { question: { names: question.answerable_by ?? [], escalated } }),
		...(question?.live_activity && { start: { type: 'alert' } }),
		...(question?.live_activity?.stream_key !== undefined && {
			streamKey: question.live_activity.stream_key,
		}),
	};
	return decideInSet(context, needs, (board) => {
		const kept = keyed && board.keptResponse(keyed.hash);
		if (kept) return { entry: kept, kept: keptPart<ResultPart>(kept, keyed) };
		const { senders, settings, now } = board;
		const push = decidePush(senders.get(caller.accountId), input, { settings, now, board });
		if (!keyed) return board.send(push);
		// Stored before the first attempts, as if all of them succeed: most do, and the server may be killed before they
		// end.
		push.entry.idempotency_key = toStoredKey(keyed.hash, now);
		push.entry.kept_json = toKeptJson(keyed, toPart(push, new Map()));
		return board.send(push);
	});
}

/** @param prefix of the request's fields in the body */
async function requireButtonsAllowed(
	context: Context,
	caller: Caller,
	{ actions = [] }: PushRequest,
	prefix: string,
) {
	const byPath = Object.fromEntries(
		actions.map((action, index) => [`${prefix}actions[${index}]`, action]),
	);
	requireWebhooksAllowed(byPath, context.settings);
	await requireTriggersKnown(context, caller, byPath);
}

function toPart(push: AcceptedMessage, attempts: Parameters<typeof countNotified>[1]): ResultPart {
	const { entry, repeat, asked } = push;
	return {
		...countNotified(push, attempts),
		...(repeat && { repeat_id: repeat.id }),
		...(asked && { question_id: entry.id, status: 'open', deadline_at: asked.shown.deadline_at }),
	};
}

function toResult(
	{ channels, tags, created_at: time }: Pick<NewHistoryEntry, 'channels' | 'tags' | 'created_at'>,
	{ devices_notified, users_notified, ...more }: ResultPart,
): Result {
	return {
		success: true,
		devices_notified,
		users_notified,
		effective_channel_slugs: channels && [...channels],
		...(tags && { tags: [...tags] }),
		timestamp: isoTime(time),
		...more,
	};
}
