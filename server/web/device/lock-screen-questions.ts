import type { ShownNotifications } from '../../src/contract/device.ts';
import type { LockScreenState } from './lock-screen-state.ts';
import { leavesAt } from './questions.ts';

/** This many of the newest notifications must be present; older ones arrive with the next snapshot. */
const FEW = 10;

/** The time the next ended activity or question leaves, on this device's clock; undefined if none is due. */
export function nextDeparture(state: LockScreenState): number | undefined {
	const due = [
		...state.activities.map(({ activity: { dismiss_at: at } }) =>
			at ? Date.parse(at) : undefined,
		),
		...state.notifications.map(({ push }) => leavesAt(push)),
	]
		.filter((at) => at !== undefined)
		.map((at) => at - state.clockOffset);
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
