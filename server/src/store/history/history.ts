import { deleteStatement, insertStatement, updateStatement } from '../engine/json-rows.ts';
import { toJson } from '../json.ts';
import type { Db, HistoryRow, NewHistory } from '../schema.ts';

export interface NewHistoryEntry extends Omit<
	NewHistory,
	'channels_json' | 'tags_json' | 'metadata_json' | 'ended_at'
> {
	channels: readonly string[] | null;
	tags?: readonly string[] | undefined;
	metadata?: unknown;
}

/** Stores entries of several accounts, with their tags. */
export async function insertHistoryEntries(
	db: Db,
	entries: readonly NewHistoryEntry[],
): Promise<void> {
	const rows = entries.map(({ channels, tags, metadata, ...entry }) => ({
		...entry,
		channels_json: toJson(channels),
		tags_json: toJson(tags),
		metadata_json: toJson(metadata),
	}));
	await insertHistoryRows(db, rows);
	await insertTagRows(db, toTagRows(entries));
}

function toTagRows(entries: ReadonlyArray<Pick<NewHistoryEntry, 'id' | 'tags'>>) {
	return entries.flatMap(({ id, tags = [] }) => tags.map((tag) => ({ history_id: id, tag })));
}

/** The channels of an entry, as stored. */
export async function historyChannels(db: Db, id: string): Promise<string | null> {
	const query = db.selectFrom('history').select('channels_json').where('id', '=', id);
	return (await query.executeTakeFirst())?.channels_json ?? null;
}

/** True if the account has any entry. */
export async function hasHistory(db: Db, accountId: string): Promise<boolean> {
	const row = await db
		.selectFrom('history')
		.select('id')
		.where('account_id', '=', accountId)
		.limit(1)
		.executeTakeFirst();
	return row !== undefined;
}

const insertHistoryRows = insertStatement('history', [
	'id',
	'account_id',
	'api_key_id',
	'kind',
	'title',
	'channels_json',
	'tags_json',
	'metadata_json',
	'created_at',
	'request_id',
	'idempotency_key',
	'kept_json',
]);

const insertTagRows = insertStatement('history_tags', ['history_id', 'tag']);

/** Changes to an entry; omitted fields are kept. */
export type HistoryChange = Partial<Pick<HistoryRow, 'title' | 'metadata_json' | 'ended_at'>> & {
	tags?: readonly string[];
};

/** Stores changes to entries, each entry once. */
export async function changeHistoryEntries(
	db: Db,
	changes: ReadonlyMap<string, HistoryChange>,
): Promise<void> {
	const changed = [...changes].map(([id, change]) => ({ ...change, id }));
	const rows = changed.map(({ tags, ...change }) => ({ ...change, tags_json: toJson(tags) }));
	await updateHistoryRows(db, rows);
	const tagged = changed.filter(({ tags }) => tags !== undefined);
	const oldTags = tagged.map(({ id }) => ({ history_id: id }));
	await deleteTagRows(db, oldTags);
	await insertTagRows(db, toTagRows(tagged));
}

const updateHistoryRows = updateStatement(
	'history',
	['id'],
	['title', 'tags_json', 'metadata_json', 'ended_at'],
);

const deleteTagRows = deleteStatement('history_tags', ['history_id']);
