import type { TapRequest } from '../../contract/device.ts';
import type { Answer, Notification } from '../../contract/shown.ts';
import { activityById } from '../../store/activities/activities.ts';
import { isOnDevice } from '../../store/activities/activity-devices.ts';
import { pushOfDelivery, type PushRow } from '../../store/taps/answered-pushes.ts';
import { fromJson } from '../../store/json.ts';
import type { Activity, Db } from '../../store/schema.ts';
import { toActions } from '../shown/content.ts';
import type { StoredAction } from '../shown/buttons.ts';
import type { Phone } from '../phones/pairing.ts';

/** The stored push or Live Activity whose button was tapped. */
export type Tapped =
	| { kind: 'push'; historyId: string; push: PushRow; button: StoredAction | undefined }
	| {
			kind: 'activity';
			historyId: string;
			activity: Activity;
			name: 'action' | 'secondary_action';
			button: StoredAction | undefined;
	  };

/** @returns undefined when the device has no such push or Live Activity */
export async function findTapped(
	db: Db,
	device: Pick<Phone, 'id'>,
	tap: TapRequest,
): Promise<Tapped | undefined> {
	if ('delivery_id' in tap) {
		const push = await pushOfDelivery(db, device.id, tap.delivery_id);
		if (!push) return undefined;
		const button = fromJson<StoredAction[]>(push.actions_json)?.[tap.action];
		return { kind: 'push', historyId: push.history_id, push, button };
	}
	if (!(await isOnDevice(db, tap.activity_id, device.id))) return undefined;
	const activity = await activityById(db, tap.activity_id);
	if (!activity) return undefined;
	const button = toActions(activity)[tap.action];
	return { kind: 'activity', historyId: activity.id, activity, name: tap.action, button };
}

/** The last answer to its buttons. */
export function answerTo(tapped: Tapped): Answer | undefined {
	return tapped.kind === 'push'
		? (JSON.parse(tapped.push.content_json) as Notification).answer
		: toActions(tapped.activity).answer;
}
