import { isDeepStrictEqual } from 'node:util';
import { type ActivityRow, fromJson } from '../../store/schema.ts';
import {
	type ActivityActions,
	changeActions,
	type SentActions,
	shownButton,
	type StoredAction,
} from './buttons.ts';
import { type ActivityState, changeState, shownState, type StateChange } from './content-state.ts';
import type { AlertPayload } from '../../contract/common.ts';
import type { ShownActivity } from '../../contract/shown.ts';
import { type Caller, isoTime, isoTimeOrNull } from '../context.ts';

/** The state and buttons of a Live Activity. */
export interface Content {
	state: ActivityState;
	actions: ActivityActions;
}

/** The columns of activities and streams that hold the content; a stream may have none. */
export interface ContentColumns<T = string | null> {
	state_json: T;
	actions_json: T;
}

/** Parses the content of an activity, or the stored content of a stream. */
export function toContent(row: ContentColumns<string>): Content;
export function toContent(row: ContentColumns): Content | undefined;
export function toContent(row: ContentColumns): Content | undefined {
	const state = fromJson<ActivityState>(row.state_json);
	return state && { state, actions: toActions(row) };
}

export function toActions(row: Pick<ContentColumns, 'actions_json'>): ActivityActions {
	return fromJson<ActivityActions>(row.actions_json) ?? {};
}

export function toColumns({ state, actions }: Content): ContentColumns<string> {
	return { state_json: JSON.stringify(state), actions_json: JSON.stringify(actions) };
}

/** A request's changes to the content. Omitted actions and state fields are kept. */
export interface ContentChange {
	change: StateChange;
	actions: SentActions;
	alert?: AlertPayload | undefined;
	/** True if the change says how a question ended, beside its choices. */
	isEnd?: true;
	/** Who sends it; absent: the server itself. */
	by?: Pick<Caller, 'keyId' | 'memberId' | 'channels'>;
}

/** Removes the buttons of a question, and those of other senders' text: they belonged to text that is being replaced. */
function withoutReplaced(actions: ActivityActions, isOthers = false) {
	const { action, secondary_action: second, ...more } = actions;
	const stays = (old: StoredAction) => !old.question_id && !(isOthers && old.type === 'webhook');
	return {
		...more,
		...(action && stays(action) && { action }),
		...(second && stays(second) && { secondary_action: second }),
	};
}

/**
 * Merges a request's changes into the previous content.
 * @param previous undefined for a start
 * @param sent an `alert` or a button in it removes stored choices: phones would show both as one question. New text
 *        from a limited key or the Playground also removes other senders' webhook buttons. A request that adds a
 *        button to such text from another sender must contain the whole state
 * @throws Refusal `invalid` when the merged content breaks a rule of its type
 */
export function changeContent(
	previous: Content | undefined,
	{ change, actions, alert, isEnd, by }: ContentChange,
	now: number,
): Content {
	const before = previous?.actions ?? {};
	const button = actions.action ?? actions.secondary_action;
	const author = previous?.state.by;
	const sender = by && (by.keyId ?? by.memberId);
	const isLimited = by && (by.channels !== null || by.keyId === null);
	// Nobody else may attach a button to a limited sender's text: they must send their own.
	const addsToOthers = button && author !== undefined && author !== sender;
	const state = changeState(addsToOthers ? undefined : previous?.state, change, now);
	const isChanged = !isDeepStrictEqual(state.content, previous?.state.content);
	const isKept = isEnd ?? !(alert ?? button ?? isChanged);
	const kept = isKept ? before : withoutReplaced(before, isLimited && author !== sender);
	const changedBy = isLimited && !isKept ? sender : addsToOthers ? undefined : author;
	if (changedBy) Object.assign(state, { by: changedBy });
	return { state, actions: changeActions(kept, actions, state.content.type, now) };
}

/** The channels the activity was sent to; null: every device of the account. */
export function toChannels(row: { channels_json: string | null } | undefined): string[] | null {
	return fromJson<string[]>(row?.channels_json ?? null) ?? null;
}

type ShownColumns = 'id' | 'stream_key' | 'started_at' | 'updated_at' | 'dismiss_at';

/** An activity as the phone shows it. */
export function shownActivity(
	activity: Pick<ActivityRow, ShownColumns>,
	now: number,
	{ state, actions }: Content,
): ShownActivity {
	const { action, secondary_action: second, answer } = actions;
	return {
		activity_id: activity.id,
		stream_key: activity.stream_key,
		content_state: shownState(state, now),
		...(action && { action: shownButton(action, answer) }),
		...(second && { secondary_action: shownButton(second, answer) }),
		...(answer && { answer }),
		started_at: isoTime(activity.started_at),
		updated_at: isoTime(activity.updated_at),
		dismiss_at: isoTimeOrNull(activity.dismiss_at),
	};
}
