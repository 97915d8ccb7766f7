import { type RawBuilder, sql, type SqlBool } from 'kysely';
import type { DevicesQuery } from '../../contract/console/resources.ts';
import type { Reach } from '../../contract/values.ts';
import { isPostgres } from '../engine/dialect.ts';
import type { Db, DeviceRow } from '../schema.ts';
import { eachWord, isLike } from '../search.ts';
import { withNames } from './devices.ts';

/** What a push's way to a device depends on, besides its row. */
export interface Reaching {
	/** Ids of the devices that have a page open now. */
	connected: readonly string[];
	pushesToIphones: boolean;
}

/** The way a push reaches the device of a row. */
function reachOf(db: Db, { connected, pushesToIphones }: Reaching): RawBuilder<Reach> {
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

interface DeviceFilter extends Reaching, Partial<DevicesQuery> {
	/** Selects the ids of some of the account's. */
	among?: RawBuilder<unknown>;
}

/** A name for sorting, in which "Phone 2" comes before "Phone 10". SQLite's is a function of ours. */
function sortable(db: Db, name: string): RawBuilder<string> {
	const column = sql.ref(name);
	return isPostgres(db)
		? sql`regexp_replace(regexp_replace(lower(${column}), '(\\d+)', '000000000\\1', 'g'), '\\d*(\\d{10})', '\\1', 'g')`
		: sql`sortable_name(${column})`;
}

/** The account's phones that the filter finds, and the way a push reaches each. */
export function devicesList(
	db: Db,
	accountId: string,
	{ among, id, search = '', reach, sort = 'paired', ...reaching }: DeviceFilter,
) {
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
	const asked = among ? sql`devices.id in (${among})` : sql`devices.account_id = ${accountId}`;
	const itsReach = reachOf(db, reaching);
	let query = withNames(db)
		.select(itsReach.as('reach'))
		.where(sql<SqlBool>`${asked}`)
		.where('devices.removed_at', 'is', null)
		.where((eb) => eb.and(words))
		.orderBy(sql`${sql.join([...orders[sort], sql`devices.id`])}`);
	if (id !== undefined) query = query.where('devices.id', '=', id);
	if (reach !== undefined) query = query.where(itsReach, '=', reach);
	return query;
}

/** The number of phones that the filter finds, by the way a push reaches them. */
export async function countByReach(
	db: Db,
	...asked: [accountId: string, filter: DeviceFilter]
): Promise<Partial<Record<Reach, number>>> {
	const { rows } = await sql<{ reach: Reach; count: number }>`
		select reach, count(*) as count
		from ${devicesList(db, ...asked).clearOrderBy()} as devices
		group by reach`.execute(db);
	return Object.fromEntries(rows.map(({ reach, count }) => [reach, count]));
}

/** The number of phones that a push service can wake, in the whole store, by platform. */
export async function countRegistered(
	db: Db,
): Promise<Partial<Record<DeviceRow['platform'], number>>> {
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
