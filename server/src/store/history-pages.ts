import { sql, type SqlBool } from 'kysely';
import { fromJson } from './json.ts';
import { matchesSearch } from './history-search.ts';
import type { Db, DeliveryState, HistoryRow } from './schema.ts';

export interface HistoryConditions {
	kind?: HistoryRow['kind'] | undefined;
	tags?: readonly string[] | undefined;
	channel?: string | undefined;
	/** null: sent by no key. */
	keyId?: string | null | undefined;
	from?: number | undefined;
	until?: number | undefined;
	search?: string | undefined;
	id?: string | undefined;
}

/** The entry after which a page begins. */
export interface HistoryCursor {
	createdAt: number;
	id: string;
}

export interface HistoryPageRow extends Pick<
	HistoryRow,
	'id' | 'kind' | 'title' | 'api_key_id' | 'created_at' | 'ended_at'
> {
	key_name: string | null;
	stream_key: string | null;
	end_reason: string | null;
	channels: string[] | null;
	tags: string[];
	metadata: Record<string, unknown> | null;
	messages: number;
	deliveries: Record<DeliveryState, number>;
}

function matching(db: Db, accountId: string, conditions: HistoryConditions) {
	const { kind, tags = [], channel, keyId, from, until, search, id } = conditions;
	let query = db.selectFrom('history').where('history.account_id', '=', accountId);
	if (id !== undefined) query = query.where('history.id', '=', id);
	if (kind !== undefined) query = query.where('history.kind', '=', kind);
	if (from !== undefined) query = query.where('history.created_at', '>=', from);
	if (until !== undefined) query = query.where('history.created_at', '<', until);
	if (keyId === null) query = query.where('history.api_key_id', 'is', null);
	else if (keyId !== undefined) query = query.where('history.api_key_id', '=', keyId);
	if (channel !== undefined) {
		// A slug has no character that JSON escapes, and of LIKE's own only the underscore.
		const slug = `%"${channel.replaceAll('_', String.raw`\_`)}"%`;
		query = query.where(sql<SqlBool>`history.channels_json like ${slug} escape '\\'`);
	}
	for (const tag of tags) {
		query = query.where('history.id', 'in', (eb) =>
			eb.selectFrom('history_tags').select('history_id').where('tag', '=', tag),
		);
	}
	if (search !== undefined) query = query.where((eb) => eb.and(matchesSearch(eb, search)));
	return query;
}

/** Entries that meet every condition, newest first. */
export async function historyPage(
	db: Db,
	accountId: string,
	conditions: HistoryConditions,
	{ after, limit }: { after?: HistoryCursor | undefined; limit: number },
): Promise<HistoryPageRow[]> {
	let query = matching(db, accountId, conditions)
		.leftJoin('api_keys', 'api_keys.id', 'history.api_key_id')
		.leftJoin('activities', 'activities.id', 'history.id')
		.select([
			'history.id',
			'history.kind',
			'history.title',
			'history.api_key_id',
			'history.channels_json',
			'history.tags_json',
			'history.metadata_json',
			'history.created_at',
			'history.ended_at',
			'api_keys.name as key_name',
			'activities.stream_key',
			'activities.end_reason',
		])
		.orderBy('history.created_at', 'desc')
		.orderBy('history.id', 'desc')
		.limit(limit);
	if (after) {
		query = query.where((eb) =>
			eb.or([
				eb('history.created_at', '<', after.createdAt),
				eb.and([eb('history.created_at', '=', after.createdAt), eb('history.id', '<', after.id)]),
			]),
		);
	}
	const rows = await query.execute();
	const counts = await countsOf(
		db,
		rows.map(({ id }) => id),
	);
	return rows.map(({ channels_json, tags_json, metadata_json, ...row }) => ({
		...row,
		channels: fromJson<string[]>(channels_json) ?? null,
		tags: fromJson<string[]>(tags_json) ?? [],
		metadata: fromJson<Record<string, unknown>>(metadata_json) ?? null,
		...(counts.get(row.id) ?? { messages: 0, deliveries: noDeliveries() }),
	}));
}

function noDeliveries(): Record<DeliveryState, number> {
	return { delivered: 0, pending: 0, failed: 0, superseded: 0 };
}

type Counts = Pick<HistoryPageRow, 'messages' | 'deliveries'>;

async function countsOf(db: Db, ids: readonly string[]): Promise<Map<string, Counts>> {
	const counts = new Map<string, Counts>();
	if (ids.length === 0) return counts;
	const messages = await db
		.selectFrom('messages')
		.where('history_id', 'in', ids)
		.groupBy('history_id')
		.select(({ fn }) => ['history_id', fn.countAll<number | bigint | string>().as('count')])
		.execute();
	for (const { history_id: id, count } of messages) {
		counts.set(id, { messages: Number(count), deliveries: noDeliveries() });
	}
	const deliveries = await db
		.selectFrom('messages')
		.innerJoin('deliveries', 'deliveries.message_id', 'messages.id')
		.where('messages.history_id', 'in', ids)
		.groupBy(['messages.history_id', 'deliveries.state'])
		.select(({ fn }) => [
			'messages.history_id',
			'deliveries.state',
			fn.countAll<number | bigint | string>().as('count'),
		])
		.execute();
	for (const { history_id: id, state, count } of deliveries) {
		const entry = counts.get(id);
		if (entry) entry.deliveries[state] = Number(count);
	}
	return counts;
}

export interface LifecycleRow {
	id: number;
	kind: string;
	content_json: string;
	created_at: number;
	deliveries: Array<{
		device: string;
		state: DeliveryState;
		attempts: number;
		last_error: string | null;
		delivered_at: number | null;
		acknowledged_at: number | null;
	}>;
}

/** What was sent of the entry, oldest first, and what became of it on each device. */
export async function lifecycleOf(db: Db, historyId: string): Promise<LifecycleRow[]> {
	const messages = await db
		.selectFrom('messages')
		.select(['id', 'kind', 'content_json', 'created_at'])
		.where('history_id', '=', historyId)
		.orderBy('id')
		.execute();
	const deliveries = await db
		.selectFrom('messages')
		.innerJoin('deliveries', 'deliveries.message_id', 'messages.id')
		.innerJoin('devices', 'devices.id', 'deliveries.device_id')
		.select([
			'deliveries.message_id',
			'devices.name as device',
			'deliveries.state',
			'deliveries.attempts',
			'deliveries.last_error',
			'deliveries.delivered_at',
			'deliveries.acknowledged_at',
		])
		.where('messages.history_id', '=', historyId)
		.orderBy('deliveries.id')
		.execute();
	return messages.map((message) => ({
		...message,
		deliveries: deliveries
			.filter((delivery) => delivery.message_id === message.id)
			.map(({ message_id: _message, ...delivery }) => delivery),
	}));
}
