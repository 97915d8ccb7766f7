import type { ShownActivity } from '../../contract/shown.ts';
import { fromJson } from '../../store/json.ts';
import type { Activity } from '../../store/schema.ts';
import { shownButton } from './buttons.ts';
import { type Content, toContent } from './content.ts';
import { shownState } from './content-state.ts';
import { isoTime, isoTimeOrNull } from '../context.ts';

/** The channels the activity was sent to; null: every device of the account. */
export function toChannels(row: { channels_json: string | null } | undefined): string[] | null {
	return fromJson<string[]>(row?.channels_json ?? null) ?? null;
}

/** An activity as the phone shows it. @param content its parsed content, if at hand */
export function shownActivity(
	activity: Activity,
	now: number,
	{ state, actions }: Content = toContent(activity),
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
