import { type RawBuilder, sql } from 'kysely';
import type { DeviceOrder } from '../../contract/console/resources.ts';
import type { Reach } from '../../contract/values.ts';
import { isPostgres } from '../engine/dialect.ts';
import { hasWords } from '../history/history-search.ts';
import type { Db } from '../schema.ts';
import { withNames } from './devices.ts';

/** What a push's way to a device depends on, besides its row. */
export interface Reaching {
	/** Ids of the devices that have a page open now. */
	connected: readonly string[];
	pushesToIphones: boolean;
}

/** The way a push reaches the device of a row, as the service's `toReach` decides it. */
export function reachOf(db: Db, { connected, pushesToIphones }: Reaching): RawBuilder<Reach> {
	const ids = JSON.stringify(connected);
	const open = isPostgres(db)
		? sql`jsonb_array_elements_text(${ids}::jsonb) as value`
		: sql`json_each(${ids})`;
	const ios = sql.lit(pushesToIphones ? 'ios' : 'none');
	return sql`case
		when devices.status <> 'active' then 'disconnected'
		when devices.id in (select value from ${open}) then 'open'
		when devices.platform = 'web' and devices.push_subscription_json is not null then 'push'
		when devices.platform = ${ios} and devices.push_token is not null then 'push'
		else 'while_open'
	end`;
}

export interface DeviceFilter extends Reaching {
	id?: string | undefined;
	search?: string | undefined;
	reach?: Reach | undefined;
	order?: DeviceOrder;
}

/** A name for sorting, in which "Phone 2" comes before "Phone 10". SQLite's is a function of ours. */
function sortable(db: Db, name: string): RawBuilder<string> {
	const column = sql.ref(name);
	return isPostgres(db)
		? sql`regexp_replace(regexp_replace(lower(${column}), '(\\d+)', '000000000\\1', 'g'), '\\d*(\\d{10})', '\\1', 'g')`
		: sql`sortable_name(${column})`;
}

/** The account's phones that the filter finds. */
export function devicesList(
	db: Db,
	accountId: string,
	{ id, search, reach, order = 'paired', ...reaching }: DeviceFilter,
) {
	const orders = {
		paired: [sql`devices.paired_at`],
		name: [sortable(db, 'devices.name')],
		user: [sortable(db, 'users.name'), sortable(db, 'devices.name')],
		last_seen: [sql`devices.last_seen_at desc`],
	};
	return withNames(db)
		.where('devices.account_id', '=', accountId)
		.where('devices.removed_at', 'is', null)
		.$if(id !== undefined, (query) => query.where('devices.id', '=', id ?? ''))
		.$if(reach !== undefined, (query) => query.where(reachOf(db, reaching), '=', reach ?? 'open'))
		.$if(Boolean(search), (query) =>
			query.where(hasWords(db, search ?? '', ['devices.name', 'users.name'])),
		)
		.orderBy(sql`${sql.join([...orders[order], sql`devices.id`])}`);
}
