import { compiledForRows } from '../engine/compiled-once.ts';
import { DELIVERY_COLUMNS } from '../phones/device-audience.ts';
import { ROWS_PER_STATEMENT } from '../engine/rows-per-statement.ts';
import type { Db, DeviceRow } from '../schema.ts';
import { selectedTogether } from '../engine/selected-together.ts';
import { together } from '../engine/together.ts';

/** Stores the devices the activity is started on. */
export const insertRecipients = together<
	{ activityId: string; deviceIds: readonly string[] },
	undefined
>(async (db, calls) => {
	const rows = calls.flatMap(({ activityId, deviceIds }) =>
		deviceIds.map((deviceId) => ({ activityId, deviceId })),
	);
	await insertRecipientRows(db, rows);
	return [];
});

const insertRecipientRows = compiledForRows<{ activityId: string; deviceId: string }, unknown>(
	(db, rows) =>
		db.insertInto('activity_devices').values(
			rows.map((the) => ({
				activity_id: the(({ activityId }) => activityId),
				device_id: the(({ deviceId }) => deviceId),
			})),
		),
);

export interface ActivityRecipient extends Pick<
	DeviceRow,
	'id' | 'user_id' | (typeof DELIVERY_COLUMNS)[number]
> {
	token: string | null;
}

/** Active devices showing the activity: those it was started on, except those that dismissed it. */
export const recipientsOfActivity = selectedTogether<string, ActivityRecipient>((db, the) =>
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

/**
 * Queues the newest change for the token. It replaces an earlier one still waiting: queued updates
 * collapse.
 */
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

export async function isOnDevice(db: Db, activityId: string, deviceId: string): Promise<boolean> {
	const row = await db
		.selectFrom('activity_devices')
		.select('activity_id')
		.where('activity_id', '=', activityId)
		.where('device_id', '=', deviceId)
		.executeTakeFirst();
	return row !== undefined;
}
