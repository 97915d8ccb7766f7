import { type RawBuilder, sql } from 'kysely';
import { isPostgres } from './engine/dialect.ts';
import type { Channel, Db, MetricRow, StreamRow, User } from './schema.ts';

/** A part of a list that is sorted by its keys. */
export interface Part {
	accountId: string;
	/** The key before the part; undefined: from the beginning. No key is empty. */
	after: string | undefined;
	limit: number;
}

/** @param slugs null: all channels of the account */
export function channelsPart(
	db: Db,
	{ accountId, after = '', limit }: Part,
	slugs: readonly string[] | null,
): Promise<Array<Pick<Channel, 'slug' | 'name'>>> {
	if (slugs?.length === 0) return Promise.resolve([]);
	let query = db
		.selectFrom('channels')
		.select(['slug', 'name'])
		.where('account_id', '=', accountId)
		.where('slug', '>', after)
		.orderBy('slug')
		.limit(limit);
	if (slugs) query = query.where('slug', 'in', slugs);
	return query.execute();
}

/**
 * The connected phones with their people. All: their slugs, by which they are listed, are not stored.
 * @param slugs of channels that have the phone or its person; null: all phones of the account
 */
export function connectedPhones(
	db: Db,
	accountId: string,
	slugs: readonly string[] | null,
): Promise<Array<{ id: string; name: string; user: string }>> {
	if (slugs?.length === 0) return Promise.resolve([]);
	let query = db
		.selectFrom('devices')
		.innerJoin('users', 'users.id', 'devices.user_id')
		.select(['devices.id', 'devices.name', 'users.name as user'])
		.where('devices.account_id', '=', accountId)
		.where('devices.status', '=', 'active');
	if (slugs) {
		const own = db
			.selectFrom('channels')
			.select('id')
			.where('account_id', '=', accountId)
			.where('slug', 'in', slugs);
		query = query.where((eb) =>
			eb.or([
				eb(
					'devices.id',
					'in',
					eb.selectFrom('channel_devices').select('device_id').where('channel_id', 'in', own),
				),
				eb(
					'devices.user_id',
					'in',
					eb.selectFrom('channel_users').select('user_id').where('channel_id', 'in', own),
				),
			]),
		);
	}
	return query.execute();
}

/** The names of the people who have not been removed. */
export function peoplePart(
	db: Db,
	{ accountId, after = '', limit }: Part,
): Promise<Array<Pick<User, 'name'>>> {
	return db
		.selectFrom('users')
		.select('name')
		.where('account_id', '=', accountId)
		.where('removed_at', 'is', null)
		.where('name', '>', after)
		.orderBy('name')
		.limit(limit)
		.execute();
}

export function metricsPart(
	db: Db,
	{ accountId, after = '', limit }: Part,
): Promise<Array<Pick<MetricRow, 'key' | 'name' | 'format' | 'unit'>>> {
	return db
		.selectFrom('metrics')
		.select(['key', 'name', 'format', 'unit'])
		.where('account_id', '=', accountId)
		.where('key', '>', after)
		.orderBy('key')
		.limit(limit)
		.execute();
}

export interface ListedStream extends Pick<StreamRow, 'stream_key' | 'paused_at' | 'state_json'> {
	/** 1: its activity is running. */
	is_running: number;
}

/** The streams with their shown or stored state. @param slugs null: those of any channels */
export function streamsPart(
	db: Db,
	{ accountId, after = '', limit }: Part,
	slugs: readonly string[] | null,
): Promise<ListedStream[]> {
	if (slugs?.length === 0) return Promise.resolve([]);
	let query = db
		.selectFrom('streams')
		.leftJoin('activities', 'activities.id', 'streams.activity_id')
		.select(['streams.stream_key', 'streams.paused_at'])
		.select(({ fn }) => fn.coalesce('activities.state_json', 'streams.state_json').as('state_json'))
		.select(
			sql<number>`case when activities.id is not null and activities.ended_at is null then 1 else 0 end`.as(
				'is_running',
			),
		)
		.where('streams.account_id', '=', accountId)
		.where('streams.stream_key', '>', after)
		.orderBy('streams.stream_key')
		.limit(limit);
	if (slugs) {
		query = query
			.where('streams.channels_json', 'is not', null)
			.where(({ not, exists }) => not(exists(channelsBeyond(db, slugs))));
	}
	return query.execute();
}

/** The channels of a stream that are not among these. */
function channelsBeyond(db: Db, slugs: readonly string[]): RawBuilder<unknown> {
	const named = isPostgres(db)
		? sql`json_array_elements_text(streams.channels_json::json) as named(value)`
		: sql`json_each(streams.channels_json) as named`;
	return sql`(select 1 from ${named} where named.value not in (${sql.join(slugs)}))`;
}
