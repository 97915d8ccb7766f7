import { type RawBuilder, sql, type SqlBool } from 'kysely';
import { findBy, updateBy } from '../engine/by-key.ts';
import { rowsStatement, updateStatement } from '../engine/json-rows.ts';
import { isAmong, isPostgres, statement } from '../engine/statement.ts';
import { failPending } from '../outbox/outcomes.ts';
import type { Db, DeviceRow, NewDevice, PairCodeRow } from '../schema.ts';
import type { DevicesQuery } from '../../contract/console/resources.ts';
import type { Reachability } from '../../contract/values.ts';
import { eachWord, isLike } from '../list-pages.ts';

export async function insertDevice(db: Db, device: NewDevice) {
	await takeFromOthers(db, device.id, device);
	await db.insertInto('devices').values(device).execute();
}

const present = (db: Db) => db.selectFrom('devices').selectAll().where('removed_at', 'is', null);

export function deviceById(db: Db, accountId: string, id: string) {
	return present(db).where('account_id', '=', accountId).where('id', '=', id).executeTakeFirst();
}

export const statusOfDevice = statement((db: Db, params: { id: string }) =>
	db.selectFrom('devices').select('status').where('id', '=', params.id),
);

/** A device with the names of its user and account, and the preferences of its user. */
export type DeviceWithNames = Awaited<ReturnType<typeof activeDeviceByTokenHash>>[number];

function withNames(db: Db) {
	return db
		.selectFrom('devices')
		.innerJoin('users', 'users.id', 'devices.user_id')
		.innerJoin('accounts', 'accounts.id', 'devices.account_id')
		.selectAll('devices')
		.select(['users.name as user_name', 'accounts.name as account_name', 'users.preferences_json']);
}

/** The active device with this token, given its SHA-256, if any. */
export const activeDeviceByTokenHash = statement((db: Db, params: { tokenHash: string }) =>
	withNames(db)
		.where('devices.token_hash', '=', params.tokenHash)
		.where('devices.status', '=', 'active'),
);

export function devicesOfUser(db: Db, userId: string) {
	return present(db).where('user_id', '=', userId).execute();
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
export async function markDeviceRemoved(db: Db, id: string, now: number) {
	await db.deleteFrom('channel_devices').where('device_id', '=', id).execute();
	await updateDevice(db, id, { removed_at: now });
}

export async function setPushTokens(
	db: Db,
	deviceId: string,
	tokens: Partial<Pick<DeviceRow, (typeof TOKENS)[number] | 'push_environment' | 'app_json'>>,
	now: number,
) {
	if (Object.keys(tokens).length === 0) return;
	await takeFromOthers(db, deviceId, tokens);
	const registered = tokens.push_token !== undefined && { push_registered_at: now };
	const isSubscription = tokens.push_subscription_json !== undefined;
	const recovered = isSubscription && { failure: null, failed_at: null };
	await updateDevice(db, deviceId, { ...tokens, ...registered, ...recovered });
}

const TOKENS = ['push_token', 'push_to_start_token', 'push_subscription_json'] as const;

/**
 * Takes a push token or subscription from other devices: it belongs to one phone. A phone paired again,
 * for instance after a lost response, has registered it twice, and would show everything twice, or
 * messages of another account.
 */
async function takeFromOthers(
	db: Db,
	deviceId: string,
	tokens: { [column in (typeof TOKENS)[number]]?: string | null },
) {
	for (const column of TOKENS) {
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
export const forgetFailures = statement<{ ids: readonly string[] }, object>((db, params) =>
	db
		.updateTable('devices')
		.set({ failure: null, failed_at: null })
		.where(isAmong(db, 'id', params.ids)),
);

/** Restores a device's earlier badge, unless a later request has changed it since. */
export const restoreBadge = updateBy('devices', 'id', 'badge');

/** Disconnects a device permanently; its pending deliveries fail. */
export async function markDisconnected(db: Db, deviceId: string) {
	await updateDevice(db, deviceId, { status: 'disconnected' });
	await failPending(db, { deviceIds: [deviceId] });
}

const disconnectGone = rowsStatement(
	'devices',
	['id', 'push_token', 'push_registered_at'],
	(_db, rows) => sql<{ id: string }>`
		update devices
		set status = 'disconnected'
		from (${rows}) as gone
		where devices.id = gone.id
			and devices.push_token is not distinct from gone.push_token
			and coalesce(devices.push_registered_at <= gone.push_registered_at, true)
		returning devices.id`,
);

/**
 * Disconnects devices reported gone by their gateway, except those that have since registered another token, or the
 * same one again.
 * @param devices with the time at which the gateway found it gone, if reported, as `push_registered_at`
 * @returns the ids of those disconnected
 */
export async function markGone(db: Db, devices: Parameters<typeof disconnectGone>[1]) {
	return new Set((await disconnectGone(db, devices)).map(({ id }) => id));
}

/** The failure of a phone whose browser has ended its subscription. */
export const UNSUBSCRIBED = 'unsubscribed';

/** Deletes subscriptions that browsers have ended, and stores since when; newer ones stay. */
export const forgetSubscriptions = rowsStatement(
	'devices',
	['id', 'push_subscription_json', 'failed_at'],
	(_db, rows) => sql`
		update devices
		set push_subscription_json = null, failure = ${sql.lit(UNSUBSCRIBED)}, failed_at = ended.failed_at
		from (${rows}) as ended
		where devices.id = ended.id and devices.push_subscription_json = ended.push_subscription_json`,
);

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

export async function insertPairCode(db: Db, code: PairCodeRow) {
	await db.deleteFrom('pair_codes').where('expires_at', '<=', code.created_at).execute();
	await db.insertInto('pair_codes').values(code).execute();
}

/** Finds a code, whether it still works or not. */
export const findPairCode = findBy('pair_codes', 'code_hash');

/** Deletes and returns the code, so it works once; undefined if it is unknown or expired. */
export function takePairCode(db: Db, codeHash: string, now: number) {
	return db
		.deleteFrom('pair_codes')
		.where('code_hash', '=', codeHash)
		.where('expires_at', '>', now)
		.returning(['account_id', 'user_id', 'device_id', 'created_by'])
		.executeTakeFirst();
}

/** What decides how a push reaches a device, besides its row. */
export interface ReachInput {
	/** Ids of the devices that have a page open now. */
	connected: readonly string[];
	pushesToIphones: boolean;
}

/** The way a push reaches the device of a row. */
function reachOf(db: Db, { connected, pushesToIphones }: ReachInput): RawBuilder<Reachability> {
	const elements = sql.raw(isPostgres(db) ? 'jsonb_array_elements_text' : 'json_each');
	const ios = sql.lit(pushesToIphones ? 'ios' : 'none');
	return sql`case
		when devices.status <> 'active' then 'disconnected'
		when devices.id in (select value from ${elements}(${JSON.stringify(connected)})) then 'open'
		when devices.platform = 'web' and devices.push_subscription_json is not null then 'push'
		when devices.platform = ${ios} and devices.push_token is not null then 'push'
		else 'while_open'
	end`;
}

interface DeviceFilter extends ReachInput, Partial<DevicesQuery> {
	/** Selects the ids of some of the account's phones. */
	among?: RawBuilder<unknown>;
}

/** A name for sorting, in which "Phone 2" comes before "Phone 10". On SQLite, it uses a function of ours. */
function sortable(db: Db, name: string): RawBuilder<string> {
	const column = sql.ref(name);
	return isPostgres(db)
		? sql`regexp_replace(regexp_replace(lower(${column}), '(\\d+)', '000000000\\1', 'g'), '\\d*(\\d{10})', '\\1', 'g')`
		: sql`sortable_name(${column})`;
}

/** The account's phones that the filter finds, and the way a push reaches each. */
export function queryDevices(db: Db, accountId: string, filter: DeviceFilter) {
	const { among, id, search = '', reach, sort = 'paired', ...reaching } = filter;
	const orders = {
		paired: [sql`devices.paired_at`],
		name: [sortable(db, 'devices.name')],
		user: [sortable(db, 'users.name'), sortable(db, 'devices.name')],
		last_seen: [sql`devices.last_seen_at desc`],
	};
	const words = eachWord(search, (like) => [
		isLike(db, 'devices.name', like),
		isLike(db, 'users.name', like),
	]);
	const isIncluded = among ? sql`devices.id in (${among})` : sql`devices.account_id = ${accountId}`;
	const itsReach = reachOf(db, reaching);
	let query = withNames(db)
		.select(itsReach.as('reach'))
		.where(sql<SqlBool>`${isIncluded}`)
		.where('devices.removed_at', 'is', null)
		.where((eb) => eb.and(words))
		.orderBy(sql`${sql.join([...orders[sort], sql`devices.id`])}`);
	if (id !== undefined) query = query.where('devices.id', '=', id);
	if (reach !== undefined) query = query.where(itsReach, '=', reach);
	return query;
}

/** The number of phones that the filter finds, by the way a push reaches them. */
export async function countByReach(db: Db, ...query: [accountId: string, filter: DeviceFilter]) {
	const { rows } = await sql<{ reach: Reachability; count: number }>`
		select reach, count(*) as count
		from ${queryDevices(db, ...query).clearOrderBy()} as devices
		group by reach`.execute(db);
	return Object.fromEntries(rows.map(({ reach, count }) => [reach, count]));
}

/** The number of phones that a push service can wake, in the whole store, by platform. */
export async function countRegistered(db: Db) {
	const rows = await db
		.selectFrom('devices')
		.select('platform')
		.select(({ fn }) => fn.countAll<number>().as('count'))
		.where('status', '=', 'active')
		.where(({ or, eb }) =>
			or([eb('push_token', 'is not', null), eb('push_subscription_json', 'is not', null)]),
		)
		.groupBy('platform')
		.execute();
	return Object.fromEntries(rows.map(({ platform, count }) => [platform, count]));
}

/** For the operator: phones whose last delivery has failed since then. */
export function failedSince(db: Db, since: number) {
	const failed = db
		.selectFrom('devices')
		.select(['name', 'failure'])
		.where('failed_at', '>', since);
	return failed.where('removed_at', 'is', null).execute();
}

/** For the operator: some of the push services that browsers are subscribed to. */
export async function pushOrigins(db: Db): Promise<string[]> {
	const column = 'push_subscription_json';
	const query = db.selectFrom('devices').select(column).where(column, 'is not', null).limit(100);
	const rows = await query.execute();
	const toOrigin = (row: (typeof rows)[number]) =>
		new URL((JSON.parse(row[column] ?? '') as { endpoint: string }).endpoint).origin;
	return [...new Set(rows.map(toOrigin))];
}
