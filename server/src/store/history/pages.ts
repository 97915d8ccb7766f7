import { type Db, fromJson } from '../schema.ts';
import type { HistoryFilter } from '../../contract/console/history.ts';
import { hasOutcome, hasTag, isInChannel, matchesSearch } from './search.ts';

export interface HistoryConditions extends Omit<HistoryFilter, 'key' | 'from' | 'until' | 'tags'> {
	tags?: readonly string[] | undefined;
	/** null: sent without a key. */
	keyId?: string | null | undefined;
	from?: number | undefined;
	until?: number | undefined;
	id?: string | undefined;
}

/** The entry before a page. */
export interface HistoryCursor {
	createdAt: number;
	id: string;
}

export type HistoryPageRow = Awaited<ReturnType<typeof historyPage>>['rows'][number];

/**
 * Entries a filter examines at a time, blocking everything else: each may have deliveries to ten thousand phones, or
 * texts of 64 KB.
 */
const STRETCH = 100;

/** The entries after the cursor, in the order of a page: newest first. */
function older(db: Db, accountId: string, conditions: HistoryConditions, after?: HistoryCursor) {
	const { from, until } = conditions;
	let query = db
		.selectFrom('history')
		.where('history.account_id', '=', accountId)
		.orderBy('history.created_at', 'desc')
		.orderBy('history.id', 'desc');
	if (from !== undefined) query = query.where('history.created_at', '>=', from);
	if (until !== undefined) query = query.where('history.created_at', '<', until);
	if (!after) return query;
	// The first condition is redundant, but an index can be used for it.
	return query
		.where('history.created_at', '<=', after.createdAt)
		.where((eb) =>
			eb.or([eb('history.created_at', '<', after.createdAt), eb('history.id', '<', after.id)]),
		);
}

type Entries = ReturnType<typeof older>;

/** All conditions except the time, which `older` applies cheaply through its index. */
function matching(db: Db, entries: Entries, conditions: HistoryConditions): Entries {
	const { kind, tags = [], channel, keyId, outcome, search, id } = conditions;
	let query = entries;
	if (id !== undefined) query = query.where('history.id', '=', id);
	if (kind !== undefined) query = query.where('history.kind', '=', kind);
	if (keyId === null) query = query.where('history.api_key_id', 'is', null);
	else if (keyId !== undefined) query = query.where('history.api_key_id', '=', keyId);
	if (channel !== undefined) query = query.where(isInChannel(db, channel));
	if (outcome !== undefined) query = query.where(hasOutcome(db, outcome));
	for (const tag of tags) query = query.where(hasTag(tag));
	if (search !== undefined) query = query.where((eb) => eb.and(matchesSearch(db, search)));
	return query;
}

/** Whether conditions other than the time leave entries out. One entry is found by its id. */
function isFilter({ from: _from, until: _until, id: _id, tags = [], ...more }: HistoryConditions) {
	return tags.length > 0 || Object.values<unknown>(more).some((value) => value !== undefined);
}

/** The last entry of the next stretch; undefined: the history ends sooner. */
async function stretchEnd(
	db: Db,
	accountId: string,
	conditions: HistoryConditions,
	after?: HistoryCursor,
) {
	const row = await older(db, accountId, conditions, after)
		.select(['history.created_at', 'history.id'])
		.offset(STRETCH - 1)
		.limit(1)
		.executeTakeFirst();
	return row && { createdAt: row.created_at, id: row.id };
}

/**
 * Entries that meet all conditions, newest first. With a filter, only a bounded stretch of the history is
 * examined, so no query blocks the store for long: the page may be short or empty with more to come.
 * @returns `next`: the entry to continue after; undefined: this was the end
 */
export async function historyPage(
	db: Db,
	accountId: string,
	conditions: HistoryConditions,
	{ after, limit }: { after?: HistoryCursor | undefined; limit: number },
) {
	const end = isFilter(conditions) ? await stretchEnd(db, accountId, conditions, after) : undefined;
	let query = matching(db, older(db, accountId, conditions, after), conditions)
		.leftJoin('api_keys', 'api_keys.id', 'history.api_key_id')
		.leftJoin('activities', 'activities.id', 'history.id')
		.select(['history.id', 'history.kind', 'history.title', 'history.api_key_id'])
		.select(['history.channels_json', 'history.tags_json', 'history.metadata_json'])
		.select(['history.created_at', 'history.ended_at', 'history.request_id'])
		.select(['api_keys.name as key_name', 'activities.stream_key', 'activities.end_reason'])
		.limit(limit + 1);
	if (end) {
		query = query
			.where('history.created_at', '>=', end.createdAt)
			.where((eb) =>
				eb.or([eb('history.created_at', '>', end.createdAt), eb('history.id', '>=', end.id)]),
			);
	}
	const found = await query.execute();
	const rows = found
		.slice(0, limit)
		.map(({ channels_json: channels, tags_json: tags, metadata_json: metadata, ...row }) => ({
			...row,
			channels: fromJson<string[]>(channels) ?? null,
			tags: fromJson<string[]>(tags) ?? [],
			metadata: fromJson<Record<string, unknown>>(metadata) ?? null,
		}));
	const last = rows.at(-1);
	const isFull = found.length > limit && last !== undefined;
	return { rows, next: isFull ? { createdAt: last.created_at, id: last.id } : end };
}
