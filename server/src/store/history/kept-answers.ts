import type { NotNull } from 'kysely';
import { DAY_MS } from '../../durations.ts';
import { updateStatement } from '../engine/json-rows.ts';
import { isAmong, statement } from '../engine/statement.ts';
import { fromJson } from '../json.ts';
import type { Db } from '../schema.ts';
import type { NewHistoryEntry } from './history.ts';

/** The entry of a push with an idempotency key, as its repeats find it. */
export type KeptAnswer = Pick<NewHistoryEntry, 'id' | 'channels' | 'tags' | 'created_at'> &
	Record<'idempotency_key' | 'kept_json', string>;

/**
 * A key as stored. It begins with the day, so that new ones are beside each other in the index however long the
 * history is, and a day's are few enough to stay in memory.
 * @param hash of account and key
 */
export function toStoredKey(hash: string, time: number): string {
	return `${Math.floor(time / DAY_MS)}.${hash}`;
}

/** True for the entry of a push with a key. */
export function isKept<E extends NewHistoryEntry>(entry: E): entry is E & KeptAnswer {
	return typeof entry.idempotency_key === 'string' && typeof entry.kept_json === 'string';
}

/** The hash in a stored key. */
export function hashOf({ idempotency_key: key }: Pick<KeptAnswer, 'idempotency_key'>): string {
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

/** The answers kept for keys by these hashes, oldest first; some may be older than a day. */
export async function keptAnswers(
	db: Db,
	{ hashes, now }: { hashes: readonly string[]; now: number },
): Promise<KeptAnswer[]> {
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

/** Replaces the answers that entries have. */
export const changeKeptAnswers = updateStatement('history', ['id'], ['kept_json']);
