import { deleteStatement, insertStatement, updateStatement } from '../engine/json-rows.ts';
import {
	columnsOf,
	type Db,
	fromJson,
	type HistoryRow,
	type NewHistory,
	toJson,
} from '../schema.ts';
import type { NotNull } from 'kysely';
import { DAY_MS } from '../../durations.ts';
import { isAmong, statement } from '../engine/statement.ts';

export interface NewHistoryEntry extends Omit<
	NewHistory,
	'channels_json' | 'tags_json' | 'metadata_json' | 'ended_at'
> {
	channels: readonly string[] | null;
	tags?: readonly string[] | undefined;
	metadata?: unknown;
}

/** Stores entries of several accounts, with their tags. */
export async function insertHistoryEntries(db: Db, entries: readonly NewHistoryEntry[]) {
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

const insertHistoryRows = insertStatement('history', columnsOf('history', 'ended_at'));

const insertTagRows = insertStatement('history_tags', ['history_id', 'tag']);

/** Changes to an entry; omitted fields are kept. */
export type HistoryChange = Partial<Pick<HistoryRow, 'title' | 'metadata_json' | 'ended_at'>> & {
	tags?: readonly string[];
};

/** Stores changes to entries, each entry once. */
export async function changeHistoryEntries(db: Db, changes: ReadonlyMap<string, HistoryChange>) {
	const changed = [...changes].map(([id, change]) => ({ ...change, id }));
	const rows = changed.map(({ tags, ...change }) => ({ ...change, tags_json: toJson(tags) }));
	await updateHistoryRows(db, rows);
	const tagged = changed.filter(({ tags }) => tags !== undefined);
	const oldTags = tagged.map(({ id }) => ({ history_id: id }));
	await deleteTagRows(db, oldTags);
	await insertTagRows(db, toTagRows(tagged));
}

const CHANGED = ['title', 'tags_json', 'metadata_json', 'ended_at'] as const;

const updateHistoryRows = updateStatement('history', ['id'], CHANGED);

const deleteTagRows = deleteStatement('history_tags', ['history_id']);

/** The entry of a push with an idempotency key, as a retry finds it. */
export type KeptResponse = Pick<NewHistoryEntry, 'id' | 'channels' | 'tags' | 'created_at'> &
	Record<'idempotency_key' | 'kept_json', string>;

/**
 * A key as stored. It begins with the day, so that new ones are beside each other in the index however long the
 * history is, and a day's are few enough to stay in memory.
 * @param hash of account, channels of the API key, and key
 */
export function toStoredKey(hash: string, time: number): string {
	return `${Math.floor(time / DAY_MS)}.${hash}`;
}

/** True for the entry of a push with a key. */
export function isKept<E extends NewHistoryEntry>(entry: E): entry is E & KeptResponse {
	return typeof entry.idempotency_key === 'string' && typeof entry.kept_json === 'string';
}

/** The hash in a stored key. */
export function hashOf({ idempotency_key: key }: Pick<KeptResponse, 'idempotency_key'>): string {
	return key.slice(key.indexOf('.') + 1);
}

const entriesByKey = statement((db: Db, { keys }: { keys: readonly string[] }) =>
	db
		.selectFrom('history')
		.select(['id', 'channels_json', 'tags_json', 'created_at', 'idempotency_key', 'kept_json'])
		.where('idempotency_key', 'is not', null)
		.where(isAmong(db, 'idempotency_key', keys))
		.orderBy('created_at')
		.$narrowType<{ idempotency_key: NotNull; kept_json: NotNull }>(),
);

/** The responses kept for keys with these hashes, oldest first; some may be older than a day. */
export async function findKeptResponses(db: Db, query: { hashes: readonly string[]; now: number }) {
	const { hashes, now } = query;
	// Tomorrow's too: the clock of the server that stored it may be ahead, or may have been set back since.
	const days = [now - DAY_MS, now, now + DAY_MS];
	const keys = hashes.flatMap((hash) => days.map((day) => toStoredKey(hash, day)));
	const rows = await entriesByKey(db, { keys });
	return rows.map(({ channels_json: channels, tags_json: tags, ...row }) => ({
		...row,
		channels: fromJson<string[]>(channels) ?? null,
		tags: fromJson<string[]>(tags),
	}));
}
