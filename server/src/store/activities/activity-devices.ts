import { isAmong, statement } from '../engine/statement.ts';
import { insertStatement, updateStatement } from '../engine/json-rows.ts';
import { type AudienceDevice, DELIVERY_COLUMNS } from '../phones/device-audience.ts';
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
export const devicesShowing = statement<
	{ activityIds: readonly string[] },
	ActivityDevice & { activity_id: string }
>((db, params) =>
	db
		.selectFrom('activity_devices')
		.innerJoin('devices', 'devices.id', 'activity_devices.device_id')
		.select([
			'activity_devices.activity_id',
			'activity_devices.token',
			'devices.id',
			'devices.user_id',
			'devices.status',
			...DELIVERY_COLUMNS,
		])
		.where(isAmong(db, 'activity_devices.activity_id', params.activityIds))
		.where('activity_devices.dismissed_at', 'is', null)
		.orderBy('devices.id'),
);

/**
 * Queues the newest changes for activities' tokens. They replace earlier ones still waiting: queued updates
 * collapse.
 */
export const queueForTokens = updateStatement('activity_devices', KEY, ['queued_message_id']);

/**
 * Stores the device's token for the activity.
 * @returns undefined when the activity was not started on the device; otherwise the waiting message
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
 * Queues a message until the device gets a new valid token for the activity. It replaces an older waiting
 * message.
 * @param token the token that is no longer valid; null: there was none
 * @returns false when a new token has arrived meanwhile, and the message can be sent at once
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
): Promise<string[]> {
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

export async function isOnDevice(db: Db, activityId: string, deviceId: string): Promise<boolean> {
	const row = await db
		.selectFrom('activity_devices')
		.select('activity_id')
		.where('activity_id', '=', activityId)
		.where('device_id', '=', deviceId)
		.executeTakeFirst();
	return row !== undefined;
}
