import type { Snapshot } from '../../server/src/contract/device.ts';
import type { Payload } from './responses.ts';

/** For each Live Activity on the lock screen, by iOS's id: the server's ids of the activities that it may be. */
export type Candidates = Record<string, string[]>;

/**
 * Narrows down which of the server's activities each one on the lock screen may be, since iOS does not tell. One that
 * matches none of them is left over: its end was lost.
 * @param known the last result: what was on screen before an activity started cannot be that activity
 */
export function narrow(known: Candidates, onScreen: string[], running: string[]): Candidates {
	return Object.fromEntries(
		onScreen.map((id) => [id, (known[id] ?? running).filter((one) => running.includes(one))]),
	);
}

/**
 * The server's activities that were on the lock screen and certainly no longer are: the person has swiped them away,
 * which iOS does not tell a closed app.
 * @param known from the last time
 */
export function swiped(known: Candidates, onScreen: string[], running: string[]): string[] {
	const certain = new Set(Object.values(known).flatMap((ids) => (ids.length === 1 ? ids : [])));
	const others = (ids: string[]) => (ids.length === 1 ? ids : ids.filter((id) => !certain.has(id)));
	const shown = new Set(onScreen.flatMap((id) => others(known[id] ?? running)));
	const before = new Set(
		Object.entries(known).flatMap(([id, ids]) => (onScreen.includes(id) ? [] : others(ids))),
	);
	return running.filter((id) => before.has(id) && !shown.has(id));
}

/** A notification in Notification Center. */
export interface Presented {
	/** iOS's id. */
	id: string;
	payload: Payload | undefined;
}

/**
 * The ids of the notifications that the server no longer shows: dismissed elsewhere, replaced, taken back, or of a Live
 * Activity that has ended. Those that the snapshot may lack stay: newer ones, and any older than its oldest.
 */
export function outdated(presented: readonly Presented[], snapshot: Snapshot): string[] {
	const { cursor, notifications, notification_count: count, questions, activities } = snapshot;
	const shown = new Set<unknown>([
		...[...notifications, ...questions].map(({ id }) => id),
		...activities.map(({ activity_id: id }) => id),
	]);
	const isWhole = count <= notifications.length;
	const oldest = isWhole ? 0 : Math.min(...notifications.map(({ id }) => id));
	return presented.flatMap(({ id, payload }) => {
		const { delivery_id: deliveryId, activity_id: activityId } = payload?.beckon ?? {};
		if (typeof deliveryId !== 'number' || deliveryId > cursor) return [];
		const isKnown = activityId !== undefined || deliveryId >= oldest;
		return isKnown && !shown.has(activityId ?? deliveryId) ? [id] : [];
	});
}
