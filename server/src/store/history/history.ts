import {
	DELIVERY_STATE_NAMES,
	noPhones,
	type PhonesByState,
} from '../../contract/delivery-states.ts';
import { compiledForRows, compiledOnce } from '../engine/compiled-once.ts';
import { insertStatement } from '../engine/json-rows.ts';
import { fromJson, toJson } from '../json.ts';
import { phonesOf } from './history-phones.ts';
import type { Db, HistoryRow, NewHistory } from '../schema.ts';
import { together } from '../engine/together.ts';

export interface NewHistoryEntry extends Omit<
	NewHistory,
	'channels_json' | 'tags_json' | 'metadata_json' | 'ended_at'
> {
	channels: readonly string[] | null;
	tags: readonly string[] | undefined;
	metadata: unknown;
}

export const insertHistory = together<NewHistoryEntry, undefined>(async (db, entries) => {
	await insertEntries(db, entries);
	await insertTags(
		db,
		entries.flatMap(({ id, tags = [] }) => tags.map((tag) => ({ history_id: id, tag }))),
	);
	return [];
});

const insertEntries = compiledForRows<NewHistoryEntry, unknown>((db, rows) =>
	db.insertInto('history').values(
		rows.map((the) => ({
			id: the(({ id }) => id),
			account_id: the((entry) => entry.account_id),
			api_key_id: the((entry) => entry.api_key_id),
			kind: the(({ kind }) => kind),
			title: the(({ title }) => title),
			channels_json: the(({ channels }) => toJson(channels)),
			tags_json: the(({ tags }) => toJson(tags)),
			metadata_json: the(({ metadata }) => toJson(metadata)),
			created_at: the((entry) => entry.created_at),
		})),
	),
);

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

async function insertTags(
	db: Db,
	tags: ReadonlyArray<{ history_id: string; tag: string }>,
): Promise<void> {
	if (tags.length > 0) await db.insertInto('history_tags').values(tags).execute();
}

export async function tagsOf(db: Db, historyId: string): Promise<string[] | undefined> {
	const row = await db
		.selectFrom('history')
		.select('tags_json')
		.where('id', '=', historyId)
		.executeTakeFirst();
	return fromJson<string[]>(row?.tags_json ?? null);
}

export async function replaceTags(
	db: Db,
	historyId: string,
	tags: readonly string[],
): Promise<void> {
	await db
		.updateTable('history')
		.set({ tags_json: toJson(tags) })
		.where('id', '=', historyId)
		.execute();
	await db.deleteFrom('history_tags').where('history_id', '=', historyId).execute();
	await insertTags(
		db,
		tags.map((tag) => ({ history_id: historyId, tag })),
	);
}

/** Replaces the metadata with that of a later call, if it sent any. */
export async function replaceMetadata(db: Db, historyId: string, metadata: unknown): Promise<void> {
	await db
		.updateTable('history')
		.set({ metadata_json: toJson(metadata) })
		.where('id', '=', historyId)
		.execute();
}

export async function setHistoryTitle(db: Db, historyId: string, title: string): Promise<void> {
	await db.updateTable('history').set({ title }).where('id', '=', historyId).execute();
}

export async function markHistoryEnded(db: Db, historyId: string, now: number): Promise<void> {
	await setEnded(db, { historyId, now });
}

const setEnded = compiledOnce<{ historyId: string; now: number }, unknown>((db, the) =>
	db
		.updateTable('history')
		.set({ ended_at: the(({ now }) => now) })
		.where(
			'id',
			'=',
			the(({ historyId }) => historyId),
		),
);

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
