import { sql } from 'kysely';
import { updateBy } from '../engine/by-key.ts';
import { isAmong, statement } from '../engine/statement.ts';
import { batched } from '../engine/batcher.ts';
import type { ApiKeyRow, Db, NewApiKey } from '../schema.ts';

export async function insertApiKey(
	db: Db,
	key: NewApiKey,
	channelIds: readonly string[],
): Promise<void> {
	await db.insertInto('api_keys').values(key).execute();
	if (channelIds.length === 0) return;
	await db
		.insertInto('api_key_channels')
		.values(channelIds.map((channel_id) => ({ api_key_id: key.id, channel_id })))
		.execute();
}

/** The unrevoked key with this SHA-256. */
export const usableKeyByHash = batched<string, UsableKey | undefined>(async (db, hashes) => {
	const keys = await selectUsableKeys(db, { hashes });
	const byHash = new Map(keys.map((key) => [key.hash, key]));
	return hashes.map((hash) => byHash.get(hash));
});

/** The slugs of a key's channels, separated by spaces; null: it reaches every device. */
export type WithSlugs<K> = K & { slugs: string | null };

export type UsableKey = WithSlugs<
	Pick<ApiKeyRow, 'id' | 'account_id' | 'kind' | 'hash' | 'last_used_at'>
>;

const SLUGS = sql<string | null>`
	case when api_keys.scope = 'channels' then (
		select coalesce(string_agg(channels.slug, ' ' order by channels.slug), '')
		from api_key_channels inner join channels on channels.id = api_key_channels.channel_id
		where api_key_channels.api_key_id = api_keys.id
	) end`.as('slugs');

/** The slugs of the channels to which a key is restricted; null: to none. */
export function toSlugs({ slugs }: WithSlugs<unknown>): string[] | null {
	return slugs?.split(' ').filter(Boolean) ?? null;
}

const selectUsableKeys = statement<{ hashes: readonly string[] }, UsableKey>((db, params) =>
	db
		.selectFrom('api_keys')
		.select(['id', 'account_id', 'kind', 'hash', 'last_used_at', SLUGS])
		.where(isAmong(db, 'hash', params.hashes))
		.where('revoked_at', 'is', null),
);

export function listApiKeys(db: Db, accountId: string): Promise<Array<WithSlugs<ApiKeyRow>>> {
	return db
		.selectFrom('api_keys')
		.selectAll()
		.select(SLUGS)
		.where('account_id', '=', accountId)
		.orderBy('created_at')
		.execute();
}

/** @returns the key; undefined if it does not exist or is already revoked */
export function revokeApiKey(
	db: Db,
	accountId: string,
	keyId: string,
	now: number,
): Promise<Pick<ApiKeyRow, 'kind' | 'name' | 'last_four'> | undefined> {
	return db
		.updateTable('api_keys')
		.set({ revoked_at: now })
		.where('account_id', '=', accountId)
		.where('id', '=', keyId)
		.where('revoked_at', 'is', null)
		.returning(['kind', 'name', 'last_four'])
		.executeTakeFirst();
}

/** When a sender key was last accepted and refused; undefined fields are kept. */
export type KeyUse = Partial<Pick<ApiKeyRow, 'accepted_at' | 'refused_at' | 'refusal'>>;

export const updateApiKey = updateBy('api_keys', 'id');
