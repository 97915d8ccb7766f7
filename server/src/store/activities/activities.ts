import { sql } from 'kysely';
import { isAmong, statement } from '../engine/statement.ts';
import { insertStatement, rowsStatement, updateStatement } from '../engine/json-rows.ts';
import { type Activity, columnsOf, type Db } from '../schema.ts';

const COLUMNS = columnsOf('activities');

/** Stores new activities. Their history entries must be stored before. */
export const insertActivities = insertStatement('activities', COLUMNS);

const CONTENT = ['state_json', 'actions_json', 'updated_at'] as const;

/** Stores the content of running activities. */
export const updateActivities = updateStatement('activities', ['id'], CONTENT);

/** Stores the content and the end of activities; separate, as the end is indexed. */
export const endActivities = updateStatement(
	'activities',
	['id'],
	[...CONTENT, 'ended_at', 'end_reason', 'dismiss_at'],
);

/** An activity with the tags of its history entry. */
export interface TaggedActivity extends Activity {
	tags_json: string | null;
}

export const activitiesById = statement<{ ids: readonly string[] }, TaggedActivity>((db, params) =>
	db
		.selectFrom('activities')
		.innerJoin('history', 'history.id', 'activities.id')
		.select([...COLUMNS.map((column) => `activities.${column}` as const), 'history.tags_json'])
		.where(isAmong(db, 'activities.id', params.ids)),
);

export async function activityById(db: Db, id: string): Promise<Activity | undefined> {
	return (await activitiesById(db, { ids: [id] }))[0];
}

/** The number of running activities on each device of the accounts with at least one. */
export async function runningCounts(
	db: Db,
	accountIds: readonly string[],
	startedAfter: number,
): Promise<Map<string, number>> {
	const rows = await countRunning(db, { accountIds, startedAfter });
	return new Map(rows.map((row) => [row.device_id, row.count]));
}

const countRunning = statement<
	{ accountIds: readonly string[]; startedAfter: number },
	{ device_id: string; count: number }
>((db, params) =>
	db
		.selectFrom('activities')
		.innerJoin('activity_devices', 'activity_devices.activity_id', 'activities.id')
		.where(isAmong(db, 'activities.account_id', params.accountIds))
		.where('activities.ended_at', 'is', null)
		.where('activities.started_at', '>', params.startedAfter)
		.where('activity_devices.dismissed_at', 'is', null)
		.groupBy('activity_devices.device_id')
		.select(({ fn }) => ['activity_devices.device_id', fn.countAll<number>().as('count')]),
);

/** The ids of activities that have not ended and that any of the devices still shows. */
export async function runningOn(db: Db, deviceIds: readonly string[]): Promise<string[]> {
	const asked = deviceIds.map((id) => ({ device_id: id }));
	const rows = await selectRunningOn(db, asked);
	return rows.map(({ id }) => id);
}

const selectRunningOn = rowsStatement(
	'activity_devices',
	['device_id'],
	(_db, rows) => sql<{ id: string }>`
		select distinct activities.id
		from (${rows}) as asked
		cross join activity_devices
		cross join activities
		where activity_devices.device_id = asked.device_id
			and activity_devices.dismissed_at is null
			and activities.id = activity_devices.activity_id
			and activities.ended_at is null`,
);

/** The activities on the device's lock screen, as they started: running, or ended and not yet removed. */
export function activitiesOnScreen(db: Db, deviceId: string, now: number): Promise<Activity[]> {
	return (
		db
			.selectFrom('activities')
			.innerJoin('activity_devices', 'activity_devices.activity_id', 'activities.id')
			.selectAll('activities')
			.where('activity_devices.device_id', '=', deviceId)
			.where('activity_devices.dismissed_at', 'is', null)
			.where((eb) =>
				eb.or([eb('activities.ended_at', 'is', null), eb('activities.dismiss_at', '>', now)]),
			)
			.orderBy('activities.started_at')
			// Those started in the same millisecond keep their order across updates.
			.orderBy('activities.id')
			.execute()
	);
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
