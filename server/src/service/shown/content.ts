import { fromJson } from '../../store/json.ts';
import { type ActivityActions, changeActions, type SentActions } from './buttons.ts';
import { type ActivityState, changeState, type StateChange } from './content-state.ts';

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

/**
 * Merges a request's changes into the previous content.
 * @param previous undefined for a start
 * @throws Refusal `invalid` when the merged content breaks a rule of its type
 */
export function changeContent(
	previous: Content | undefined,
	{ change, actions }: { change: StateChange; actions: SentActions },
	now: number,
): Content {
	const state = changeState(previous?.state, change, now);
	return { state, actions: changeActions(previous?.actions ?? {}, actions, state.content.type) };
}
