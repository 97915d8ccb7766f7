import { compiledOnce } from './compiled-once.ts';
import { DELIVERY_COLUMNS, ROWS_PER_STATEMENT } from './devices.ts';
import type { Activity, Db, DeviceRow } from './schema.ts';

export async function insertActivity(
	db: Db,
	activity: Activity,
	deviceIds: readonly string[],
): Promise<void> {
	await db.insertInto('activities').values(activity).execute();
	for (let at = 0; at < deviceIds.length; at += ROWS_PER_STATEMENT) {
		await db
			.insertInto('activity_devices')
			.values(
				deviceIds
					.slice(at, at + ROWS_PER_STATEMENT)
					.map((device_id) => ({ activity_id: activity.id, device_id })),
			)
			.execute();
	}
}

const selectActivity = compiledOnce<string, Activity>((db, the) =>
	db
		.selectFrom('activities')
		.selectAll()
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

/** A change of an activity that goes on. */
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

/** The last change of an activity. */
export async function setActivityEnd(db: Db, id: string, end: Ended): Promise<void> {
	await db.updateTable('activities').set(end).where('id', '=', id).execute();
}

export interface ActivityRecipient extends Pick<
	DeviceRow,
	'id' | 'user_id' | (typeof DELIVERY_COLUMNS)[number]
> {
	token: string | null;
}

/** Active devices that show the activity: those it was started on, less those that dismissed it. */
export const recipientsOfActivity = compiledOnce<string, ActivityRecipient>((db, the) =>
	db
		.selectFrom('activity_devices')
		.innerJoin('devices', 'devices.id', 'activity_devices.device_id')
		.select(['devices.id', 'devices.user_id', ...DELIVERY_COLUMNS, 'activity_devices.token'])
		.where(
			'activity_id',
			'=',
			the((activityId) => activityId),
		)
		.where('activity_devices.dismissed_at', 'is', null)
		.where('devices.status', '=', 'active'),
);

/** The newest change replaces an earlier one that still waits: queued updates collapse. */
export async function queueForToken(
	db: Db,
	activityId: string,
	deviceIds: readonly string[],
	messageId: number,
): Promise<void> {
	for (let at = 0; at < deviceIds.length; at += ROWS_PER_STATEMENT) {
		await db
			.updateTable('activity_devices')
			.set({ queued_message_id: messageId })
			.where('activity_id', '=', activityId)
			.where('device_id', 'in', deviceIds.slice(at, at + ROWS_PER_STATEMENT))
			.execute();
	}
}

/**
 * Stores the token that the device got for the activity.
 * @returns undefined when the activity was not started on the device; else the message that waited
 */
export async function registerActivityToken(
	db: Db,
	activityId: string,
	deviceId: string,
	token: string,
): Promise<{ queuedMessageId: number | null } | undefined> {
	const row = await db
		.selectFrom('activity_devices')
		.select('queued_message_id')
		.where('activity_id', '=', activityId)
		.where('device_id', '=', deviceId)
		.executeTakeFirst();
	if (!row) return undefined;
	await db
		.updateTable('activity_devices')
		.set({ token, queued_message_id: null })
		.where('activity_id', '=', activityId)
		.where('device_id', '=', deviceId)
		.execute();
	return { queuedMessageId: row.queued_message_id };
}

/**
 * The activity has no valid token on the device: the message waits for the next, in the place of an
 * older one that waits already.
 * @param token the one that is not valid any more; null: there was none
 * @returns false when another token has come meanwhile, with which the message can go out at once
 */
export async function queueForNextToken(
	db: Db,
	{ activityId, deviceId, token }: { activityId: string; deviceId: string; token: string | null },
	messageId: number,
): Promise<boolean> {
	const thisToken = () =>
		db
			.updateTable('activity_devices')
			.where('activity_id', '=', activityId)
			.where('device_id', '=', deviceId)
			.where('token', token === null ? 'is' : '=', token);
	await thisToken()
		.set({ queued_message_id: messageId })
		.where((eb) =>
			eb.or([eb('queued_message_id', 'is', null), eb('queued_message_id', '<', messageId)]),
		)
		.execute();
	const { numUpdatedRows } = await thisToken().set({ token: null }).executeTakeFirst();
	return numUpdatedRows > 0n;
}

/** @returns whether the activity was started on the device */
export async function dismissActivity(
	db: Db,
	activityId: string,
	deviceId: string,
	now: number,
): Promise<boolean> {
	const result = await db
		.updateTable('activity_devices')
		.set({ dismissed_at: now, queued_message_id: null })
		.where('activity_id', '=', activityId)
		.where('device_id', '=', deviceId)
		.executeTakeFirst();
	return result.numUpdatedRows > 0n;
}

/** Running activities on a device that count towards its capacity, oldest first. */
function running(db: Db, accountId: string, startedAfter: number) {
	return db
		.selectFrom('activities')
		.innerJoin('activity_devices', 'activity_devices.activity_id', 'activities.id')
		.where('activities.account_id', '=', accountId)
		.where('activities.ended_at', 'is', null)
		.where('activities.started_at', '>', startedAfter)
		.where('activity_devices.dismissed_at', 'is', null);
}

/** How many activities run on each of the account's devices that has any. */
export async function runningCounts(
	db: Db,
	accountId: string,
	startedAfter: number,
): Promise<Map<string, number>> {
	const rows = await running(db, accountId, startedAfter)
		.groupBy('activity_devices.device_id')
		.select(({ fn }) => [
			'activity_devices.device_id',
			fn.countAll<number | bigint | string>().as('count'),
		])
		.execute();
	return new Map(rows.map((row) => [row.device_id, Number(row.count)]));
}

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

/** What the device's lock screen shows: running, or ended and not yet taken off. */
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

export async function isOnDevice(db: Db, activityId: string, deviceId: string): Promise<boolean> {
	const row = await db
		.selectFrom('activity_devices')
		.select('activity_id')
		.where('activity_id', '=', activityId)
		.where('device_id', '=', deviceId)
		.executeTakeFirst();
	return row !== undefined;
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
