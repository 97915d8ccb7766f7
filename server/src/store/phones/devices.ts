import { sql } from 'kysely';
import { findBy, updateBy } from '../engine/by-key.ts';
import { rowsStatement, updateStatement } from '../engine/json-rows.ts';
import { isAmong, statement } from '../engine/statement.ts';
import { failPending } from '../outbox/outbox-outcomes.ts';
import type { Db, DeviceRow, NewDevice, PairCodeRow } from '../schema.ts';
import type { DELIVERY_COLUMNS } from './device-audience.ts';

export async function insertDevice(db: Db, device: NewDevice): Promise<void> {
	await takeFromOthers(db, device.id, device);
	await db.insertInto('devices').values(device).execute();
}

export function deviceById(db: Db, accountId: string, id: string): Promise<DeviceRow | undefined> {
	return db
		.selectFrom('devices')
		.selectAll()
		.where('account_id', '=', accountId)
		.where('id', '=', id)
		.where('removed_at', 'is', null)
		.executeTakeFirst();
}

export const statusOfDevice = statement<{ id: string }, Pick<DeviceRow, 'status'>>((db, params) =>
	db.selectFrom('devices').select('status').where('id', '=', params.id),
);

export type DeviceWithNames = DeviceRow & {
	user_name: string;
	account_name: string;
	/** Those of its user. */
	preferences_json: string | null;
};

export function withNames(db: Db) {
	return db
		.selectFrom('devices')
		.innerJoin('users', 'users.id', 'devices.user_id')
		.innerJoin('accounts', 'accounts.id', 'devices.account_id')
		.selectAll('devices')
		.select(['users.name as user_name', 'accounts.name as account_name', 'users.preferences_json']);
}

/** The active device with this token, given its SHA-256. */
export function activeDeviceByTokenHash(
	db: Db,
	tokenHash: string,
): Promise<DeviceWithNames | undefined> {
	return withNames(db)
		.where('devices.token_hash', '=', tokenHash)
		.where('devices.status', '=', 'active')
		.executeTakeFirst();
}

export function devicesOfUser(db: Db, userId: string): Promise<DeviceRow[]> {
	return db
		.selectFrom('devices')
		.selectAll()
		.where('user_id', '=', userId)
		.where('removed_at', 'is', null)
		.execute();
}

/** The ids of the user's other phones. */
export function otherPhones(db: Db, { id, user_id: userId }: Pick<DeviceRow, 'id' | 'user_id'>) {
	return db
		.selectFrom('devices')
		.select('devices.id')
		.where('user_id', '=', userId)
		.where('devices.id', '!=', id)
		.where('removed_at', 'is', null);
}

/**
 * Removes the device from every channel and list; the history still names it. It must be disconnected
 * first.
 */
export async function markDeviceRemoved(db: Db, id: string, now: number): Promise<void> {
	await db.deleteFrom('channel_devices').where('device_id', '=', id).execute();
	await updateDevice(db, id, { removed_at: now });
}

export async function setPushTokens(
	db: Db,
	deviceId: string,
	tokens: Partial<
		Pick<
			DeviceRow,
			Exclude<(typeof DELIVERY_COLUMNS)[number], 'platform' | 'badge' | 'quiet_json' | 'failed_at'>
		>
	>,
	now: number,
): Promise<void> {
	if (Object.keys(tokens).length === 0) return;
	await takeFromOthers(db, deviceId, tokens);
	const registered = tokens.push_token !== undefined && { push_registered_at: now };
	await updateDevice(db, deviceId, { ...tokens, ...registered });
}

const OF_ONE_PHONE = ['push_token', 'push_to_start_token', 'push_subscription_json'] as const;

/**
 * Takes a push token or subscription from other devices: it belongs to one phone. A phone paired again,
 * for instance after a lost response, has registered it twice, and would show everything twice, or
 * messages of another account.
 */
async function takeFromOthers(
	db: Db,
	deviceId: string,
	tokens: { [column in (typeof OF_ONE_PHONE)[number]]?: string | null },
): Promise<void> {
	for (const column of OF_ONE_PHONE) {
		const token = tokens[column];
		if (typeof token !== 'string') continue;
		await db
			.updateTable('devices')
			.set({ [column]: null })
			.where(column, '=', token)
			.where('id', '!=', deviceId)
			.execute();
	}
}

/** Sets the badge of each device. */
export const setBadges = updateStatement('devices', ['id'], ['badge']);

/** Stores why deliveries to devices failed. */
export const noteFailures = updateStatement('devices', ['id'], ['failure', 'failed_at']);

/** Forgets earlier failures of devices that a push service has reached. */
export async function forgetFailures(db: Db, ids: readonly string[]): Promise<void> {
	if (ids.length > 0) await forgetFailuresOf(db, { ids });
}

const forgetFailuresOf = statement<{ ids: readonly string[] }, object>((db, params) =>
	db
		.updateTable('devices')
		.set({ failure: null, failed_at: null })
		.where(isAmong(db, 'id', params.ids)),
);

/** Restores a device's earlier badge, unless a later request has changed it since. */
export async function restoreBadge(
	db: Db,
	deviceId: string,
	from: number,
	to: number,
): Promise<void> {
	await db
		.updateTable('devices')
		.set({ badge: to })
		.where('id', '=', deviceId)
		.where('badge', '=', from)
		.execute();
}

/** Disconnects a device permanently; its pending deliveries fail. */
export async function markDisconnected(db: Db, deviceId: string): Promise<void> {
	await updateDevice(db, deviceId, { status: 'disconnected' });
	await failPending(db, [deviceId]);
}

const disconnectGone = rowsStatement(
	'devices',
	['id', 'push_token', 'push_subscription_json', 'push_registered_at'],
	(_db, rows) => sql<{ id: string }>`
		update devices
		set status = 'disconnected'
		from (${rows}) as gone
		where devices.id = gone.id
			and devices.push_token is not distinct from gone.push_token
			and devices.push_subscription_json is not distinct from gone.push_subscription_json
			and coalesce(devices.push_registered_at <= gone.push_registered_at, true)
		returning devices.id`,
);

/**
 * Disconnects devices reported gone by their gateway, except those that have since registered another token or
 * subscription, or the same token again.
 * @param devices with the time at which the gateway found it gone, if reported, as `push_registered_at`
 * @returns the ids of those disconnected
 */
export async function markGone(
	db: Db,
	devices: Parameters<typeof disconnectGone>[1],
): Promise<Set<string>> {
	return new Set((await disconnectGone(db, devices)).map(({ id }) => id));
}

/** Deletes push-to-start tokens that Apple no longer knows; newer ones stay. */
export const forgetPushToStartTokens = rowsStatement(
	'devices',
	['id', 'push_to_start_token'],
	(_db, rows) => sql`
		update devices
		set push_to_start_token = null
		from (${rows}) as dead
		where devices.id = dead.id and devices.push_to_start_token = dead.push_to_start_token`,
);

export const updateDevice = updateBy('devices', 'id');

export async function insertPairCode(db: Db, code: PairCodeRow): Promise<void> {
	await db.deleteFrom('pair_codes').where('expires_at', '<=', code.created_at).execute();
	await db.insertInto('pair_codes').values(code).execute();
}

/** Finds a code, whether it still works or not. */
export const findPairCode = findBy('pair_codes', 'code_hash');

/** Deletes and returns the code, so it works once; undefined if it is unknown or expired. */
export function takePairCode(
	db: Db,
	codeHash: string,
	now: number,
): Promise<Pick<PairCodeRow, 'account_id' | 'user_id' | 'device_id' | 'created_by'> | undefined> {
	return db
		.deleteFrom('pair_codes')
		.where('code_hash', '=', codeHash)
		.where('expires_at', '>', now)
		.returning(['account_id', 'user_id', 'device_id', 'created_by'])
		.executeTakeFirst();
}
