import { fromJson } from '../json.ts';
import type { Activity, Db, StreamRow } from '../schema.ts';

interface RunningRow extends Activity {
	tags: string[];
	devices: number;
}

/**
 * The account's running activities, newest first, each with the number of paired devices that have not
 * dismissed it.
 */
export async function runningActivities(db: Db, accountId: string): Promise<RunningRow[]> {
	const rows = await db
		.selectFrom('activities')
		.innerJoin('history', 'history.id', 'activities.id')
		.selectAll('activities')
		.select(['history.tags_json'])
		.select((eb) =>
			eb
				.selectFrom('activity_devices')
				.innerJoin('devices', 'devices.id', 'activity_devices.device_id')
				.select(({ fn }) => fn.countAll<number>().as('count'))
				.whereRef('activity_devices.activity_id', '=', 'activities.id')
				.where('activity_devices.dismissed_at', 'is', null)
				.where('devices.status', '=', 'active')
				.as('devices'),
		)
		.where('activities.account_id', '=', accountId)
		.where('activities.ended_at', 'is', null)
		.orderBy('activities.started_at', 'desc')
		.orderBy('activities.id', 'desc')
		.execute();
	return rows.map(({ tags_json: tags, devices, ...activity }) => ({
		...activity,
		tags: fromJson<string[]>(tags) ?? [],
		devices: devices ?? 0,
	}));
}

/** Streams without a visible activity: paused, or their activity was ended by id. */
export function quietStreams(db: Db, accountId: string): Promise<StreamRow[]> {
	return db
		.selectFrom('streams')
		.selectAll()
		.where('account_id', '=', accountId)
		.where('activity_id', 'is', null)
		.orderBy('stream_key')
		.execute();
}
