import type { Board } from '../sending/board.ts';
import { type ActivityChange, type ActivityMessage, endActivity } from '../activities/lifecycle.ts';
import type { StartInput } from '../activities/decisions.ts';
import { toChannels, toColumns, toContent } from '../shown/content.ts';
import { requireWithinKey, type Audience, decideAudience } from '../sending/audience.ts';
import type { Caller } from '../context.ts';
import { areWithin } from '../keys-and-channels/key-scope.ts';
import { conflict, notFound } from '../refusal.ts';
import { requireSendingAccount } from '../sending/account.ts';
import { type StreamRow, toJson } from '../../store/schema.ts';
import { type StreamEffect, applyChange, startStreamActivity } from './change.ts';

/**
 * The end of a stream's activity, which then stays on the lock screen for two minutes (docs/api-decisions.md "Live
 * Activity content").
 */
export const STREAM_END = { reason: 'ended', dismissSeconds: 2 * 60 } as const;

export interface PutInput extends StartInput {
	streamKey: string;
	/** The position of the channels in the request. */
	path: string | undefined;
	/** Drops the alert if the stream has an activity already, even one that rotates. */
	alertsOnlyAtStart?: boolean;
	/** Keeps nothing of what the stream shows: a question is approved exactly as it was asked. */
	isWhole?: true;
}

/**
 * Decides a PUT: the stream's one activity is started, updated or rotated, or its state stored.
 * @throws Refusal `unauthorized`, `billing`, `invalid`, `forbidden`, `no_recipients` or `capacity`, without
 *         changing the board
 */
export function decidePut(
	board: Board,
	input: PutInput,
): { applied: StreamEffect; audience: Audience } {
	const { caller, streamKey, channels, path, change: sent, alertsOnlyAtStart, isWhole } = input;
	const sender = requireSendingAccount(board.senders.get(caller.accountId), board);
	const audience = decideAudience(sender, caller, channels, path);
	const stream = board.stream(caller.accountId, streamKey);
	if (stream) requireWithinKey(caller, toChannels(stream), 'stream', sender);
	const activity = board.activityOf(stream);
	const stored = activity?.content ?? (stream && toContent(stream));
	// Phones that it did not reach get nothing that another key may have put there.
	const mayReveal = !caller.channels && (!activity || activity.startedBy === caller.keyId);
	const merges = !isWhole && (mayReveal || areWithin(audience.slugs, toChannels(stream)));
	const previous = merges ? stored : undefined;
	const change = activity && alertsOnlyAtStart ? { ...sent, alert: undefined } : sent;
	const step = { board, caller, sender, audience, stream, activity, previous, change, streamKey };
	return { applied: applyChange(step), audience };
}

function requireStream(board: Board, accountId: string, streamKey: string): StreamRow {
	const stream = board.stream(accountId, streamKey);
	if (stream) return stream;
	throw notFound(
		'Stream not found',
		`There is no Live Activity with the key ${streamKey}. It has ended already, or was never started.`,
	);
}

/**
 * Decides a DELETE.
 * @returns undefined when the stream had no running activity
 * @throws Refusal `invalid`, `forbidden` or `not_found`, without changing the board
 */
export function decideDelete(
	board: Board,
	{ caller, streamKey, change }: Pick<PutInput, 'caller' | 'streamKey' | 'change'>,
): ActivityMessage | undefined {
	const stream = requireStream(board, caller.accountId, streamKey);
	requireWithinKey(caller, toChannels(stream), 'stream', board.senders.get(caller.accountId));
	const activity = board.activityOf(stream);
	const ended =
		activity?.row.ended_at === null ? endActivity(board, activity, change, STREAM_END) : undefined;
	board.deleteStream(stream);
	return ended;
}

/**
 * Decides a pause: the stream's activity ends, and its state is kept.
 * @returns undefined when the stream had no running activity
 * @throws Refusal `not_found` or `conflict`, without changing the board
 */
export function decidePause(board: Board, accountId: string, streamKey: string) {
	const { now } = board;
	const stream = requireStream(board, accountId, streamKey);
	if (stream.paused_at !== null)
		throw conflict('Already paused', 'This Live Activity is already paused.');
	const activity = board.activityOf(stream);
	// The state from before the end: a running timer continues when the stream is resumed.
	const kept = activity && { ...toColumns(activity.content), tags_json: toJson(activity.tags) };
	const ended =
		activity?.row.ended_at === null
			? endActivity(board, activity, undefined, { reason: 'paused' })
			: undefined;
	board.saveStream({ ...stream, ...kept, activity_id: null, paused_at: now, updated_at: now });
	return ended;
}

/**
 * Decides a resume: the stream's activity starts from the stored state.
 * @returns undefined when there is no such state or no recipient
 * @throws Refusal `not_found`, `conflict`, `unauthorized`, `billing` or `capacity`, without changing the
 *         board
 */
export function decideResume(board: Board, accountId: string, streamKey: string) {
	const paused = requireStream(board, accountId, streamKey);
	if (paused.paused_at === null) throw conflict('Not paused', 'This Live Activity is not paused.');
	const stream = { ...paused, paused_at: null, updated_at: board.now };
	if (paused.state_json !== null) {
		const sender = requireSendingAccount(board.senders.get(accountId), board);
		const caller: Caller = { accountId, keyId: null, channels: toChannels(stream) };
		const audience = decideAudience(sender, caller, undefined);
		const change: ActivityChange = { change: {}, actions: {} };
		const [activity, previous] = [undefined, toContent(stream)];
		const step = { board, caller, sender, audience, stream, activity, previous, change, streamKey };
		if (audience.devices.length > 0) return startStreamActivity(step);
	}
	board.saveStream(stream);
	return undefined;
}
