import { deleteBy, findBy, updateBy } from '../engine/by-key.ts';
import { sql } from 'kysely';
import { isAmong, statement } from '../engine/statement.ts';
import { insertStatement, rowsStatement, updateStatement } from '../engine/json-rows.ts';
import { AUDIENCE_COLUMNS, type AudienceDevice } from '../phones/device-audience.ts';
import { otherPhones } from '../phones/devices.ts';
import type { Db } from '../schema.ts';

const KEY = ['activity_id', 'device_id'] as const;

/** Stores the devices on which activities are started. */
export const insertActivityDevices = insertStatement('activity_devices', KEY);

/** A device on which an activity was started. */
export interface ActivityDevice extends AudienceDevice {
	/** The activity's token on an iOS device; null: none has arrived yet. */
	token: string | null;
}

/** The devices on which the activities were started, except those that dismissed them. */
export const devicesShowing = statement((db: Db, params: { activityIds: readonly string[] }) =>
	db
		.selectFrom('activity_devices')
		.innerJoin('devices', 'devices.id', 'activity_devices.device_id')
		.select(['activity_devices.activity_id', 'activity_devices.token', ...AUDIENCE_COLUMNS])
		.where(isAmong(db, 'activity_devices.activity_id', params.activityIds))
		.where('activity_devices.dismissed_at', 'is', null)
		.orderBy('devices.id'),
);

/**
 * Queues the newest changes for activities' tokens. They replace earlier ones still waiting: queued updates
 * collapse.
 */
export const queueForTokens = updateStatement('activity_devices', KEY, ['queued_message_id']);

/** Stores that devices show activities as notifications: each device's own push token stands for the activity's. */
export const showAsNotification = updateStatement('activity_devices', KEY, ['token']);

export const activityDevice = findBy('activity_devices', ...KEY);

/**
 * Stores the device's token for the activity.
 * @returns undefined when the activity was not started on the device; otherwise with the message that waits for the token
 */
export async function registerActivityToken(
	db: Db,
	activityId: string,
	deviceId: string,
	token: string,
) {
	const before = await activityDevice(db, activityId, deviceId);
	if (before)
		await updateActivityDevice(db, activityId, deviceId, { token, queued_message_id: null });
	return before;
}

const updateActivityDevice = updateBy('activity_devices', ...KEY);

const replaceTokens = rowsStatement(
	'activity_devices',
	[...KEY, 'token', 'queued_message_id'],
	(_db, rows) => sql<{ activity_id: string; device_id: string }>`
		update activity_devices
		set token = null,
			queued_message_id = case
				when activity_devices.queued_message_id > dead.queued_message_id
				then activity_devices.queued_message_id
				else dead.queued_message_id
			end
		from (${rows}) as dead
		where activity_devices.activity_id = dead.activity_id
			and activity_devices.device_id = dead.device_id
			and activity_devices.token is not distinct from dead.token
		returning activity_devices.activity_id, activity_devices.device_id`,
);

/**
 * Queues messages until their devices get a new valid token for the activity. They replace older waiting messages.
 * @param dead the messages, and the tokens that are no longer valid; null: there was none
 * @returns those queued, as `activity device`; for the others, a new token has arrived meanwhile, and the message can
 *          be sent at once
 */
export async function queueForNextTokens(db: Db, dead: Parameters<typeof replaceTokens>[1]) {
	const queued = await replaceTokens(db, dead);
	return new Set(queued.map((row) => `${row.activity_id} ${row.device_id}`));
}

/**
 * Dismisses an activity on a device, and on the other phones of its user that show it.
 * @param isEverywhere false: on the device alone
 * @returns the ids of these phones; without the device's if the activity was not started on it
 */
export async function dismissActivity(
	db: Db,
	activityId: string,
	device: { id: string; user_id: string },
	{ isEverywhere, now }: { isEverywhere: boolean; now: number },
) {
	const rows = await db
		.updateTable('activity_devices')
		.set({ dismissed_at: now, queued_message_id: null })
		.where('activity_id', '=', activityId)
		.where(({ eb, and, or }) => {
			const isOther = eb('device_id', 'in', otherPhones(db, device));
			const isOwn = eb('device_id', '=', device.id);
			return isEverywhere ? or([isOwn, and([isOther, eb('dismissed_at', 'is', null)])]) : isOwn;
		})
		.returning('device_id')
		.execute();
	return rows.map(({ device_id: id }) => id);
}

/** Removes an activity from a device permanently. */
export const takeFromDevice = deleteBy('activity_devices', ...KEY);

/** Restores the activities that a device dismissed at the given time. @returns how many */
export async function restoreActivities(db: Db, deviceId: string, dismissedAt: number) {
	const { numUpdatedRows } = await db
		.updateTable('activity_devices')
		.set({ dismissed_at: null })
		.where('device_id', '=', deviceId)
		.where('dismissed_at', '=', dismissedAt)
		.executeTakeFirstOrThrow();
	return Number(numUpdatedRows);
}
