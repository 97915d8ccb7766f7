import { sql } from 'kysely';
import { compiledOnce } from './engine/compiled-once.ts';
import { isAmong, isPostgres } from './engine/dialect.ts';
import { failPendingOf } from './outbox-outcomes.ts';
import type { Db, DeviceRow, NewDevice } from './schema.ts';
import { selectedTogether } from './engine/selected-together.ts';

/** What a delivery needs to know of its device, beside its id. */
export const DELIVERY_COLUMNS = [
	'platform',
	'push_token',
	'push_to_start_token',
	'push_environment',
	'push_subscription_json',
	'badge',
] as const;

/** What the audience of a request needs to know of a device. */
export type AudienceDevice = Pick<
	DeviceRow,
	'id' | 'user_id' | 'status' | 'removed_at' | (typeof DELIVERY_COLUMNS)[number]
>;

const AUDIENCE_COLUMNS = [
	'devices.id',
	'devices.user_id',
	'devices.status',
	'devices.removed_at',
	...DELIVERY_COLUMNS,
] as const;

export const devicesOfAccount = selectedTogether<string, AudienceDevice>((db, the) =>
	db
		.selectFrom('devices')
		.select(AUDIENCE_COLUMNS)
		.where(
			'account_id',
			'=',
			the((accountId) => accountId),
		),
);

/** All devices of the accounts, in the order of their ids. */
export function devicesOfAccounts(
	db: Db,
	accountIds: readonly string[],
): Promise<Array<AudienceDevice & { account_id: string }>> {
	return ofAccounts(db, JSON.stringify(accountIds));
}

const ofAccounts = compiledOnce<string, AudienceDevice & { account_id: string }>((db, the) =>
	db
		.selectFrom('devices')
		.select([...AUDIENCE_COLUMNS, 'account_id'])
		.where(
			isAmong<string>(
				db,
				'account_id',
				the((json) => json),
				'text',
			),
		)
		.orderBy('devices.id'),
);

/** A device that a channel reaches. */
export interface ReachedDevice extends AudienceDevice {
	channel_id: string;
	/** Whether the device has muted the channel. */
	is_muted: boolean;
}

/** Devices that are in the channels themselves, or whose users are: once for each channel. */
export async function devicesOfChannels(
	db: Db,
	channelIds: readonly string[],
): Promise<ReachedDevice[]> {
	const rows = await ofChannels(db, JSON.stringify(channelIds));
	return rows.map(({ muted_by: by, ...device }) => ({ ...device, is_muted: by !== null }));
}

const ofChannels = compiledOnce<
	string,
	Omit<ReachedDevice, 'is_muted'> & { muted_by: string | null }
>((db, the) => {
	const isAsked = (column: string) =>
		isAmong<string>(
			db,
			column,
			the((json) => json),
			'text',
		);
	const reached = db
		.selectFrom('channel_devices')
		.select(['channel_id', 'device_id'])
		.where(isAsked('channel_id'))
		.union(
			db
				.selectFrom('channel_users')
				.innerJoin('devices', 'devices.user_id', 'channel_users.user_id')
				.select(['channel_users.channel_id', 'devices.id as device_id'])
				.where(isAsked('channel_users.channel_id')),
		);
	return (
		db
			.selectFrom(reached.as('reached'))
			// SQLite keeps the order of a cross join: from the few in the channels to their rows.
			.crossJoin('devices')
			.leftJoin('muted_channels', (join) =>
				join
					.onRef('muted_channels.channel_id', '=', 'reached.channel_id')
					.onRef('muted_channels.device_id', '=', 'reached.device_id'),
			)
			.whereRef('devices.id', '=', 'reached.device_id')
			.select([...AUDIENCE_COLUMNS, 'reached.channel_id', 'muted_channels.device_id as muted_by'])
			.orderBy('devices.id')
	);
});

/** Devices that are in one of the channels themselves, or whose user is. */
export function devicesInChannels(
	db: Db,
	accountId: string,
	slugs: readonly string[],
): Promise<AudienceDevice[]> {
	return reachedBy(db, { accountId, slugsJson: JSON.stringify(slugs) });
}

const reachedBy = compiledOnce<{ accountId: string; slugsJson: string }, AudienceDevice>(
	(db, the) => {
		const accountId = the((values) => values.accountId);
		const slugs = the(({ slugsJson }) => slugsJson);
		const channels = db
			.selectFrom('channels')
			.where('channels.account_id', '=', accountId)
			.where(isAmong<string>(db, 'channels.slug', slugs, 'text'));
		const reached = channels
			.innerJoin('channel_devices', 'channel_devices.channel_id', 'channels.id')
			.select('channel_devices.device_id')
			.union(
				channels
					.innerJoin('channel_users', 'channel_users.channel_id', 'channels.id')
					.innerJoin('devices', 'devices.user_id', 'channel_users.user_id')
					.select('devices.id as device_id'),
			);
		return (
			db
				.selectFrom(reached.as('reached'))
				// SQLite keeps the order of a cross join: from the few in the channels to their rows, not through
				// all devices of the account.
				.crossJoin('devices')
				.whereRef('devices.id', '=', 'reached.device_id')
				.where('account_id', '=', accountId)
				.select(AUDIENCE_COLUMNS)
		);
	},
);

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

export const statusOfDevice = compiledOnce<string, Pick<DeviceRow, 'status'>>((db, the) =>
	db
		.selectFrom('devices')
		.select('status')
		.where(
			'id',
			'=',
			the((id) => id),
		),
);

export type DeviceWithNames = DeviceRow & { user_name: string; account_name: string };

function withNames(db: Db) {
	return db
		.selectFrom('devices')
		.innerJoin('users', 'users.id', 'devices.user_id')
		.innerJoin('accounts', 'accounts.id', 'devices.account_id')
		.selectAll('devices')
		.select(['users.name as user_name', 'accounts.name as account_name']);
}

/** The active device that holds the token with this SHA-256. */
export function activeDeviceByTokenHash(
	db: Db,
	tokenHash: string,
): Promise<DeviceWithNames | undefined> {
	return withNames(db)
		.where('devices.token_hash', '=', tokenHash)
		.where('devices.status', '=', 'active')
		.executeTakeFirst();
}

export function listDevices(db: Db, accountId: string): Promise<DeviceWithNames[]> {
	return withNames(db)
		.where('devices.account_id', '=', accountId)
		.where('devices.removed_at', 'is', null)
		.orderBy('devices.paired_at')
		.execute();
}

export function devicesOfUser(db: Db, userId: string): Promise<DeviceRow[]> {
	return db
		.selectFrom('devices')
		.selectAll()
		.where('user_id', '=', userId)
		.where('removed_at', 'is', null)
		.execute();
}

/** Out of every channel and list; the history goes on naming it. It is to be disconnected before. */
export async function markDeviceRemoved(db: Db, id: string, now: number): Promise<void> {
	await db.deleteFrom('channel_devices').where('device_id', '=', id).execute();
	await db.updateTable('devices').set({ removed_at: now }).where('id', '=', id).execute();
}

export async function setPushTokens(
	db: Db,
	deviceId: string,
	tokens: Partial<
		Pick<DeviceRow, Exclude<(typeof DELIVERY_COLUMNS)[number], 'platform' | 'badge'>>
	>,
	now: number,
): Promise<void> {
	if (Object.keys(tokens).length === 0) return;
	await takeFromOthers(db, deviceId, tokens);
	await db
		.updateTable('devices')
		.set({ ...tokens, ...(tokens.push_token !== undefined && { push_registered_at: now }) })
		.where('id', '=', deviceId)
		.execute();
}

const OF_ONE_PHONE = ['push_token', 'push_to_start_token', 'push_subscription_json'] as const;

/**
 * A push token or subscription is of one phone. Who pairs it again, as after an answer that was lost,
 * has registered it twice, and would be shown everything twice, or what is another account's.
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

/** Devices in groups small enough for SQLite's limit of 32,766 parameters in a statement. */
export const ROWS_PER_STATEMENT = 1_000;

/** Sets badges, each device's own. */
export async function setBadges(db: Db, badges: ReadonlyMap<string, number>): Promise<void> {
	if (badges.size > 0) await setAll(db, JSON.stringify([...badges]));
}

const setAll = compiledOnce<string, unknown>((db, the) => {
	const json = the((badges) => badges);
	const rows = isPostgres(db)
		? sql`select value->>0 as id, (value->>1)::integer as badge from json_array_elements(${json}::json)`
		: sql`select value->>0 as id, value->>1 as badge from json_each(${json})`;
	const update = sql`update devices set badge = changed.badge
		from (${rows}) as changed where devices.id = changed.id`;
	return { compile: () => update.compile(db) };
});

/** Gives a device its earlier badge back, unless a later request has changed it since. */
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

/** Disconnects a device for good; what waits for it fails. */
export async function markDisconnected(db: Db, deviceId: string): Promise<void> {
	await db
		.updateTable('devices')
		.set({ status: 'disconnected' })
		.where('id', '=', deviceId)
		.execute();
	await failPendingOf(db, deviceId);
}

/**
 * Disconnects a device whose gateway says that it is gone, unless it has registered another token or
 * subscription meanwhile, or the same token anew.
 * @param since when the gateway found it gone, where it tells so
 * @returns whether it is disconnected
 */
export async function markGone(
	db: Db,
	device: Pick<DeviceRow, 'id' | 'push_token' | 'push_subscription_json'>,
	since?: number,
): Promise<boolean> {
	const { id, push_token: token, push_subscription_json: subscription } = device;
	const { numUpdatedRows } = await db
		.updateTable('devices')
		.set({ status: 'disconnected' })
		.where('id', '=', id)
		.where('push_token', token === null ? 'is' : '=', token)
		.where('push_subscription_json', subscription === null ? 'is' : '=', subscription)
		.$if(since !== undefined, (query) =>
			query.where((eb) =>
				eb.or([eb('push_registered_at', 'is', null), eb('push_registered_at', '<=', since ?? 0)]),
			),
		)
		.executeTakeFirst();
	return numUpdatedRows > 0n;
}

/** Apple does not know this push-to-start token any more; a newer one stays. */
export async function forgetPushToStartToken(
	db: Db,
	deviceId: string,
	token: string,
): Promise<void> {
	await db
		.updateTable('devices')
		.set({ push_to_start_token: null })
		.where('id', '=', deviceId)
		.where('push_to_start_token', '=', token)
		.execute();
}

export async function markSeen(db: Db, deviceId: string, now: number): Promise<void> {
	await db.updateTable('devices').set({ last_seen_at: now }).where('id', '=', deviceId).execute();
}

export async function insertPairCode(
	db: Db,
	code: {
		code_hash: string;
		account_id: string;
		user_id: string;
		device_id: string;
		expires_at: number;
		created_at: number;
	},
): Promise<void> {
	await db.deleteFrom('pair_codes').where('expires_at', '<=', code.created_at).execute();
	await db.insertInto('pair_codes').values(code).execute();
}

/** Takes the code out, so that it works once; undefined when it is unknown or has expired. */
export function takePairCode(
	db: Db,
	codeHash: string,
	now: number,
): Promise<{ account_id: string; user_id: string; device_id: string | null } | undefined> {
	return db
		.deleteFrom('pair_codes')
		.where('code_hash', '=', codeHash)
		.where('expires_at', '>', now)
		.returning(['account_id', 'user_id', 'device_id'])
		.executeTakeFirst();
}
