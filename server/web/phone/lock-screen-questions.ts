import type { ShownNotifications } from '../../src/contract/device.ts';
import type { LockScreenState } from './lock-screen-state.ts';

/** This many of the newest notifications must be present; older ones arrive with the next snapshot. */
const FEW = 10;

/** The time the next ended activity leaves, on this device's clock; undefined if none is due. */
export function nextDeparture(state: LockScreenState): number | undefined {
	const due = state.activities
		.map(({ activity }) => activity.dismiss_at)
		.filter((at) => at !== null)
		.map((at) => Date.parse(at) - state.clockOffset);
	return due.length === 0 ? undefined : Math.min(...due);
}

/** True if one of the newest notifications, or an activity, is unknown here: it was restored on another page. */
export function lacksShown(
	state: LockScreenState,
	{ ids, question_ids: questions, activity_ids: activityIds }: ShownNotifications,
): boolean {
	const known = new Set(state.notifications.map(({ id }) => id));
	return (
		[...ids.slice(0, FEW), ...questions].some((id) => !known.has(id)) ||
		activityIds.some((id) => !state.activities.some(({ activity }) => activity.activity_id === id))
	);
}
