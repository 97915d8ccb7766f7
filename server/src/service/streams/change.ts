import { isDeepStrictEqual } from 'node:util';
import type { StreamOperation } from '../../contract/live-activities.ts';
import { type ActivityRow, fromJson, type StreamRow, toJson } from '../../store/schema.ts';
import type { Board, LiveActivity } from '../sending/board.ts';
import {
	type ActivityChange,
	type ActivityMessage,
	annotate,
	changeActivity,
	startActivity,
} from '../activities/lifecycle.ts';
import { changeContent, type Content, toChannels, toColumns } from '../shown/content.ts';
import { requireRecipients, type Audience, isSameAudience } from '../sending/audience.ts';
import type { Caller } from '../context.ts';
import { countSend, type SendingAccount } from '../sending/account.ts';

/** The effect of a PUT or a resume on the stream. */
export interface StreamEffect {
	operation: StreamOperation;
	activity: ActivityRow | undefined;
	previous?: ActivityRow;
	/** In the order of delivery; the counts in the response are those of the last one. */
	messages: ActivityMessage[];
}

/** A stream, its activity and the change to make. */
interface StreamStep {
	board: Board;
	caller: Caller;
	sender: SendingAccount;
	audience: Audience;
	stream: StreamRow | undefined;
	activity: LiveActivity | undefined;
	/** The content into which the change is merged. */
	previous: Content | undefined;
	change: ActivityChange;
	streamKey: string;
}

/** @param next the activity's content with the change merged in */
function toSituation(step: StreamStep, next: Content | undefined): StreamSituation {
	const { board, audience, stream, activity, change } = step;
	const { now, settings } = board;
	const row = activity?.row;
	const previous = activity?.content;
	return {
		isPaused: stream?.paused_at != null,
		hasActivity: activity !== undefined,
		// An expired activity counts as too old.
		age: !row ? 0 : row.ended_at === null ? now - row.started_at : Infinity,
		rotationAge: settings.rotationAgeMs,
		typeChanged: next?.state.content.type !== previous?.state.content.type,
		audienceChanged:
			row !== undefined &&
			(!isSameAudience(toChannels(row), audience.slugs) || (activity?.left?.size ?? 0) > 0),
		nothingChanged:
			step.previous !== undefined &&
			isDeepStrictEqual(next, previous) &&
			(!change.tags ||
				isDeepStrictEqual([...change.tags].sort(), [...(activity?.tags ?? [])].sort())),
		alertSent: change.alert !== undefined,
		isDismissed: activity?.devices.length === 0,
	};
}

/** Stores a paused stream's state without sending anything. */
function remember({ board, audience, stream, previous, change }: StreamStep): StreamEffect {
	if (!stream) throw new Error('Only a stored stream can be paused');
	const content = changeContent(previous, change, board.now);
	board.saveStream({
		...stream,
		...toColumns(content),
		tags_json: change.tags ? toJson(change.tags) : stream.tags_json,
		channels_json: toJson(audience.slugs),
		updated_at: board.now,
	});
	return { operation: 'paused', activity: undefined, messages: [] };
}

/**
 * Starts the stream's activity from the state left by a pause or the previous activity, which ends immediately
 * if it is still running.
 */
export function startStreamActivity(step: StreamStep): StreamEffect {
	const { board, caller, sender, audience, stream, activity, previous, change, streamKey } = step;
	const { started, ended } = startActivity(board, {
		...change,
		tags: change.tags ?? (activity ? activity.tags : fromJson<string[]>(stream?.tags_json ?? null)),
		sender,
		audience,
		caller,
		streamKey,
		previous,
		rotated: activity?.row.ended_at === null ? activity : undefined,
	});
	board.saveStream({
		account_id: caller.accountId,
		stream_key: streamKey,
		activity_id: started.activity.id,
		state_json: null,
		actions_json: null,
		tags_json: null,
		channels_json: toJson(audience.slugs),
		paused_at: null,
		updated_at: board.now,
	});
	return { operation: 'started', activity: started.activity, messages: [...ended, started] };
}

/**
 * Carries out the operation that the situation requires.
 * @throws Refusal `invalid`, `no_recipients` or `capacity`, without changing the board
 */
export function applyChange(step: StreamStep): StreamEffect {
	const { board, sender, activity, previous, change } = step;
	const next = activity && changeContent(previous, change, board.now);
	const operation = streamOperation(toSituation(step, next));
	if (operation === 'paused') return remember(step);
	requireRecipients(step.audience);
	if (operation === 'started' || !activity) return startStreamActivity(step);
	if (operation === 'rotated') {
		const { row: previous } = activity;
		return { ...startStreamActivity(step), operation, previous };
	}
	if (operation === 'noop') {
		annotate(board, activity, { tags: undefined, metadata: change.metadata });
		return { operation, activity: activity.row, messages: [] };
	}
	const updated = changeActivity(board, activity, change, next);
	countSend(sender);
	return { operation, activity: updated.activity, messages: [updated] };
}

/** Input of the rules that choose an operation (docs/api-decisions.md "Streams"). */
export interface StreamSituation {
	isPaused: boolean;
	hasActivity: boolean;
	/** Age of the activity in milliseconds. */
	age: number;
	rotationAge: number;
	typeChanged: boolean;
	audienceChanged: boolean;
	/** True if the merged state, actions and tags equal the stored ones. */
	nothingChanged: boolean;
	alertSent: boolean;
	/** True if everybody has dismissed the activity. */
	isDismissed: boolean;
}

/** Chooses one of the five operations, in the order of docs/api-decisions.md "Streams". */
export function streamOperation(situation: StreamSituation): StreamOperation {
	if (situation.isPaused) return 'paused';
	if (!situation.hasActivity) return 'started';
	if (situation.age > situation.rotationAge || situation.typeChanged || situation.audienceChanged)
		return 'rotated';
	// An alert must reach somebody.
	if (situation.isDismissed && situation.alertSent) return 'rotated';
	if (situation.nothingChanged && !situation.alertSent) return 'noop';
	return 'updated';
}
