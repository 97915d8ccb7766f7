import type { ShownActivity } from '../../contract/shown.ts';
import { fromJson } from '../../store/json.ts';
import type { Activity } from '../../store/schema.ts';
import { type ActivityActions, shownButton } from '../sending/buttons.ts';
import { type ActivityState, shownState } from './content-state.ts';
import { isoTime } from '../context.ts';

/** The channels the activity was sent to; null: every device of the account. */
export function channelsOf(row: { channels_json: string | null }): string[] | null {
	return fromJson<string[]>(row.channels_json) ?? null;
}

export function stateOf(row: { state_json: string | null }): ActivityState | undefined {
	return fromJson<ActivityState>(row.state_json);
}

export function actionsOf(row: { actions_json: string | null }): ActivityActions {
	return fromJson<ActivityActions>(row.actions_json) ?? {};
}

/** An activity as the phone shows it. */
export function shownActivity(activity: Activity, now: number): ShownActivity {
	const { action, secondary_action: second, answer } = actionsOf(activity);
	const state = stateOf(activity);
	if (!state) throw new Error(`Activity ${activity.id} has no state`);
	return {
		activity_id: activity.id,
		stream_key: activity.stream_key,
		content_state: shownState(state, now),
		...(action && { action: shownButton(action, answer) }),
		...(second && { secondary_action: shownButton(second, answer) }),
		...(answer && { answer }),
		started_at: isoTime(activity.started_at),
		updated_at: isoTime(activity.updated_at),
		dismiss_at: activity.dismiss_at === null ? null : isoTime(activity.dismiss_at),
	};
}
