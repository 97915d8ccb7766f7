import {
	DELIVERY_STATE_NAMES,
	noPhones,
	type PhonesByState,
} from '../../contract/delivery-states.ts';
import { deleteStatement, insertStatement, updateStatement } from '../engine/json-rows.ts';
import { fromJson, toJson } from '../json.ts';
import { phonesOf } from './history-phones.ts';
import type { Db, HistoryRow, NewHistory } from '../schema.ts';

export interface NewHistoryEntry extends Omit<
	NewHistory,
	'channels_json' | 'tags_json' | 'metadata_json' | 'ended_at'
> {
	channels: readonly string[] | null;
	tags: readonly string[] | undefined;
	metadata: unknown;
}

/** Stores entries of several accounts, with their tags. */
export async function insertHistoryEntries(
	db: Db,
	entries: readonly NewHistoryEntry[],
): Promise<void> {
	await insertHistoryRows(
		db,
		entries.map(({ channels, tags, metadata, ...entry }) => ({
			...entry,
			channels_json: toJson(channels),
			tags_json: toJson(tags),
			metadata_json: toJson(metadata),
		})),
	);
	await insertTagRows(
		db,
		entries.flatMap(({ id, tags = [] }) => tags.map((tag) => ({ history_id: id, tag }))),
	);
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
]);

const insertTagRows = insertStatement('history_tags', ['history_id', 'tag']);

/** Changes of an entry; what is left out is kept. */
export type HistoryChange = Partial<Pick<HistoryRow, 'title' | 'metadata_json' | 'ended_at'>> & {
	tags?: readonly string[];
};

/** Stores changes of entries, each entry once. */
export async function changeHistoryEntries(
	db: Db,
	changes: ReadonlyMap<string, HistoryChange>,
): Promise<void> {
	await updateHistoryRows(
		db,
		[...changes].map(([id, { tags, ...change }]) => ({ ...change, id, tags_json: toJson(tags) })),
	);
	const tagged = [...changes].filter(([, { tags }]) => tags !== undefined);
	await deleteTagRows(
		db,
		tagged.map(([id]) => ({ history_id: id })),
	);
	await insertTagRows(
		db,
		tagged.flatMap(([id, { tags = [] }]) => tags.map((tag) => ({ history_id: id, tag }))),
	);
}

const updateHistoryRows = updateStatement(
	'history',
	['id'],
	['title', 'tags_json', 'metadata_json', 'ended_at'],
);

const deleteTagRows = deleteStatement('history_tags', ['history_id']);

export interface HistoryEntry extends Omit<
	HistoryRow,
	'channels_json' | 'tags_json' | 'metadata_json'
> {
	channels: string[] | null;
	tags: string[];
	metadata: Record<string, unknown> | null;
	/** Each phone once, by its newest delivery. */
	phones: PhonesByState;
	/** The entry's messages, oldest first. */
	messages: Array<{
		id: number;
		kind: string;
		created_at: number;
		/** One delivery per phone. */
		phones: PhonesByState;
		/** The errors of failed deliveries, or of the last attempt of those being retried. */
		errors: string[];
	}>;
}

/** The newest entries of an account, optionally only those with all of `tags`. */
export async function listHistory(
	db: Db,
	accountId: string,
	{ tags, limit }: { tags: readonly string[]; limit: number },
): Promise<HistoryEntry[]> {
	let query = db
		.selectFrom('history')
		.selectAll()
		.where('account_id', '=', accountId)
		.orderBy('created_at', 'desc')
		.orderBy('history.id', 'desc')
		.limit(limit);
	for (const tag of tags) {
		query = query.where('id', 'in', (eb) =>
			eb.selectFrom('history_tags').select('history_id').where('tag', '=', tag),
		);
	}
	const rows = await query.execute();
	const phones = await phonesOf(
		db,
		rows.map(({ id }) => id),
	);
	return Promise.all(
		rows.map(async ({ channels_json, tags_json, metadata_json, ...row }) => ({
			...row,
			channels: fromJson<string[]>(channels_json) ?? null,
			tags: fromJson<string[]>(tags_json) ?? [],
			metadata: fromJson<Record<string, unknown>>(metadata_json) ?? null,
			phones: phones.get(row.id) ?? noPhones(),
			messages: await messagesOf(db, row.id),
		})),
	);
}

async function messagesOf(db: Db, historyId: string): Promise<HistoryEntry['messages']> {
	const rows = await db
		.selectFrom('messages')
		.leftJoin('deliveries', 'deliveries.message_id', 'messages.id')
		.where('messages.history_id', '=', historyId)
		.groupBy(['messages.id', 'messages.kind', 'messages.created_at'])
		.select(({ fn, eb }) => [
			'messages.id',
			'messages.kind',
			'messages.created_at',
			...DELIVERY_STATE_NAMES.map((state) =>
				fn
					.sum(eb.case().when('deliveries.state', '=', state).then(eb.lit(1)).else(eb.lit(0)).end())
					.as(state),
			),
		])
		.orderBy('messages.id')
		.execute();
	const errors = await errorsOf(db, historyId);
	return rows.map(({ id, kind, created_at, ...counts }) => {
		const phones = noPhones();
		for (const state of DELIVERY_STATE_NAMES) phones[state] = Number(counts[state]);
		return {
			id,
			kind,
			created_at,
			phones,
			errors: errors.filter(({ message_id: of }) => of === id).map(({ error }) => error),
		};
	});
}

async function errorsOf(
	db: Db,
	historyId: string,
): Promise<Array<{ message_id: number; error: string }>> {
	const rows = await db
		.selectFrom('messages')
		.innerJoin('deliveries', 'deliveries.message_id', 'messages.id')
		.where('messages.history_id', '=', historyId)
		.where('deliveries.state', 'in', ['failed', 'pending'])
		.where('deliveries.last_error', 'is not', null)
		.select(['deliveries.message_id', 'deliveries.last_error'])
		.distinct()
		.execute();
	return rows.map((row) => ({ message_id: row.message_id, error: row.last_error ?? '' }));
}
