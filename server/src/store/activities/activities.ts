import { insertRecipients } from './activity-devices.ts';
import { compiledOnce } from '../engine/compiled-once.ts';
import type { Activity, Db } from '../schema.ts';
import { selectedTogether } from '../engine/selected-together.ts';
import { storedTogether } from '../engine/stored-together.ts';

export async function insertActivity(
	db: Db,
	activity: Activity,
	deviceIds: readonly string[],
): Promise<void> {
	await insertOne(db, activity);
	await insertRecipients(db, { activityId: activity.id, deviceIds });
}

const insertOne = storedTogether<Activity>((db, rows) =>
	db.insertInto('activities').values(
		rows.map((the) => ({
			id: the(({ id }) => id),
			account_id: the((activity) => activity.account_id),
			stream_key: the((activity) => activity.stream_key),
			state_json: the((activity) => activity.state_json),
			actions_json: the((activity) => activity.actions_json),
			channels_json: the((activity) => activity.channels_json),
			started_at: the((activity) => activity.started_at),
			updated_at: the((activity) => activity.updated_at),
			ended_at: the((activity) => activity.ended_at),
			end_reason: the((activity) => activity.end_reason),
			dismiss_at: the((activity) => activity.dismiss_at),
		})),
	),
);

const selectActivity = selectedTogether<string, Activity>((db, the) =>
	db
		.selectFrom('activities')
		.select([
			'id',
			'account_id',
			'stream_key',
			'state_json',
			'actions_json',
			'channels_json',
			'started_at',
			'updated_at',
			'ended_at',
			'end_reason',
			'dismiss_at',
		])
		.where(
			'id',
			'=',
			the((id) => id),
		),
);

export async function activityById(db: Db, id: string): Promise<Activity | undefined> {
	return (await selectActivity(db, id))[0];
}

type Changed = Pick<Activity, 'state_json' | 'actions_json' | 'updated_at'>;
type Ended = Changed & Pick<Activity, 'ended_at' | 'end_reason' | 'dismiss_at'>;

/** Stores a change of a running activity. */
export async function setActivityState(db: Db, id: string, state: Changed): Promise<void> {
	await setState(db, { id, ...state });
}

const setState = compiledOnce<{ id: string } & Changed, unknown>((db, the) =>
	db
		.updateTable('activities')
		.set({
			state_json: the((state) => state.state_json),
			actions_json: the((state) => state.actions_json),
			updated_at: the((state) => state.updated_at),
		})
		.where(
			'id',
			'=',
			the(({ id }) => id),
		),
);

/** Stores the last change of an activity. */
export async function setActivityEnd(db: Db, id: string, end: Ended): Promise<void> {
	await setEnd(db, { id, ...end });
}

const setEnd = compiledOnce<{ id: string } & Ended, unknown>((db, the) =>
	db
		.updateTable('activities')
		.set({
			state_json: the((end) => end.state_json),
			actions_json: the((end) => end.actions_json),
			updated_at: the((end) => end.updated_at),
			ended_at: the((end) => end.ended_at),
			end_reason: the((end) => end.end_reason),
			dismiss_at: the((end) => end.dismiss_at),
		})
		.where(
			'id',
			'=',
			the(({ id }) => id),
		),
);

/** Activities counting towards a device's capacity, oldest first. */
function running(db: Db, accountId: string, startedAfter: number) {
	return db
		.selectFrom('activities')
		.innerJoin('activity_devices', 'activity_devices.activity_id', 'activities.id')
		.where('activities.account_id', '=', accountId)
		.where('activities.ended_at', 'is', null)
		.where('activities.started_at', '>', startedAfter)
		.where('activity_devices.dismissed_at', 'is', null);
}

/** The number of running activities on each device of the account with at least one. */
export async function runningCounts(
	db: Db,
	accountId: string,
	startedAfter: number,
): Promise<Map<string, number>> {
	const rows = await countRunning(db, { accountId, startedAfter });
	return new Map(rows.map((row) => [row.device_id, Number(row.count)]));
}

const countRunning = selectedTogether<
	{ accountId: string; startedAfter: number },
	{ device_id: string; count: number | bigint | string }
>((db, the) =>
	running(
		db,
		the(({ accountId }) => accountId),
		the(({ startedAfter }) => startedAfter),
	)
		.groupBy('activity_devices.device_id')
		.select(({ fn }) => [
			'activity_devices.device_id',
			fn.countAll<number | bigint | string>().as('count'),
		]),
);

export async function oldestRunningOn(
	db: Db,
	accountId: string,
	deviceId: string,
	startedAfter: number,
): Promise<Activity | undefined> {
	return running(db, accountId, startedAfter)
		.selectAll('activities')
		.where('activity_devices.device_id', '=', deviceId)
		.orderBy('activities.started_at')
		.limit(1)
		.executeTakeFirst();
}

/** The activities on the device's lock screen: running, or ended and not yet removed. */
export function activitiesOnScreen(db: Db, deviceId: string, now: number): Promise<Activity[]> {
	return db
		.selectFrom('activities')
		.innerJoin('activity_devices', 'activity_devices.activity_id', 'activities.id')
		.selectAll('activities')
		.where('activity_devices.device_id', '=', deviceId)
		.where('activity_devices.dismissed_at', 'is', null)
		.where((eb) =>
			eb.or([eb('activities.ended_at', 'is', null), eb('activities.dismiss_at', '>', now)]),
		)
		.orderBy('activities.started_at')
		.execute();
}

/** Activities that still count as running although they started at or before `startedBefore`. */
export function outlivedActivities(
	db: Db,
	startedBefore: number,
	limit: number,
): Promise<Activity[]> {
	return db
		.selectFrom('activities')
		.selectAll()
		.where('ended_at', 'is', null)
		.where('started_at', '<=', startedBefore)
		.limit(limit)
		.execute();
}
