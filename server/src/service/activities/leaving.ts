import { devicesShowing, takeFromDevice } from '../../store/activities/activity-devices.ts';
import { runningList } from '../../store/activities/activities.ts';
import type { Db } from '../../store/schema.ts';
import { loadStillReached } from '../sending/audience.ts';
import { toChannels } from '../shown/content.ts';

/**
 * Takes the account's running Live Activities off the phones that have left their channels. A stream's activity stays
 * until the next update rotates it.
 * @returns the ids of these phones
 */
export async function takeOffLeft(db: Db, accountId: string): Promise<string[]> {
	const running = await runningList(db, accountId)
		.where('activities.stream_key', 'is', null)
		.execute();
	const channels = new Map(running.map((activity) => [activity.id, toChannels(activity)]));
	const showing = await devicesShowing(db, { activityIds: [...channels.keys()] });
	const ids = showing.map(({ id }) => id);
	const isReached = await loadStillReached(db, ids);
	const left = showing.filter(
		({ id, activity_id: activity }) => !isReached(id, channels.get(activity) ?? null),
	);
	for (const { id, activity_id: activity } of left) await takeFromDevice(db, activity, id);
	return left.map(({ id }) => id);
}
