import type { TapRequest } from '../../contract/device.ts';
import type { Answer, Notification } from '../../contract/shown.ts';
import { activityById } from '../../store/activities/activities.ts';
import { activityDevice } from '../../store/activities/activity-devices.ts';
import { pushOfDelivery, type PushRow } from '../../store/outbox/delivered.ts';
import { type ActivityRow, type Db, fromJson } from '../../store/schema.ts';
import { toActions, toChannels } from '../shown/content.ts';
import type { StoredAction } from '../shown/buttons.ts';
import type { Device } from '../phones/pairing.ts';

/** The stored push or Live Activity whose button was tapped. */
export type TapTarget = {
	historyId: string;
	button: StoredAction | undefined;
	/** True if the phone showed another button there when it was tapped, or none. */
	isOutdated?: boolean;
	/** Slugs of the channels that it went to; null: every device of the account. */
	channels: string[] | null;
} & (
	| { kind: 'push'; push: PushRow }
	| { kind: 'activity'; activity: ActivityRow; name: 'action' | 'secondary_action' }
);

/** @returns undefined when the device has no such push or Live Activity */
export async function findTapTarget(
	db: Db,
	device: Pick<Device, 'id'>,
	tap: TapRequest,
): Promise<TapTarget | undefined> {
	if ('delivery_id' in tap) {
		const push = await pushOfDelivery(db, device.id, tap.delivery_id);
		if (!push) return undefined;
		const button = fromJson<StoredAction[]>(push.actions_json)?.[tap.action];
		const channels = toChannels(push);
		return { kind: 'push', historyId: push.history_id, push, button, channels };
	}
	if (!(await activityDevice(db, tap.activity_id, device.id))) return undefined;
	const activity = await activityById(db, tap.activity_id);
	if (!activity) return undefined;
	const { action: name, updated_at: seen } = tap;
	const { since = 0, ...actions } = toActions(activity);
	const button = actions[name];
	const isOutdated = button?.type !== 'open_url' && seen !== undefined && Date.parse(seen) < since;
	const channels = toChannels(activity);
	const historyId = activity.id;
	return { kind: 'activity', historyId, activity, name, button, isOutdated, channels };
}

/** The last answer to its buttons. */
export function lastAnswer(tapped: TapTarget): Answer | undefined {
	return tapped.kind === 'push'
		? (JSON.parse(tapped.push.content_json) as Notification).answer
		: toActions(tapped.activity).answer;
}
