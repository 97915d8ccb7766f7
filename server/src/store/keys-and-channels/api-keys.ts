import { sql } from 'kysely';
import { updateBy } from '../engine/by-key.ts';
import { updateStatement } from '../engine/json-rows.ts';
import { isAmong, statement } from '../engine/statement.ts';
import { batched } from '../engine/batcher.ts';
import type { ApiKeyRow, Db, NewApiKey } from '../schema.ts';

export async function insertApiKey(
	db: Db,
	key: NewApiKey,
	channelIds: readonly string[],
	isMarkdown: boolean,
) {
	await db.insertInto('api_keys').values(key).execute();
	if (isMarkdown) await db.insertInto('markdown_keys').values({ api_key_id: key.id }).execute();
	if (channelIds.length === 0) return;
	await db
		.insertInto('api_key_channels')
		.values(channelIds.map((channel_id) => ({ api_key_id: key.id, channel_id })))
		.execute();
}

/** The name of a key; without a key, "Console". */
export async function keyName(db: Db, id: string | null) {
	const query = db.selectFrom('api_keys').select('name').where('id', '=', id);
	return (await query.executeTakeFirst())?.name ?? 'Console';
}

/** Counts the rows of keys that are limited to channels, where `api_keys` is joined. */
export const LIMITED = sql<number>`count(case when api_keys.scope = 'channels' then 1 end)`.as(
	'limited',
);

/** What a key may reach, even if it is revoked; undefined: it was deleted. */
export function scopeOfKey(db: Db, id: string) {
	const query = db.selectFrom('api_keys').select(['revoked_at', SLUGS]).where('id', '=', id);
	return query.executeTakeFirst();
}

/** The key with this SHA-256, even if it is revoked. */
export const keyByHash = batched(async (db: Db, hashes: readonly string[]) => {
	const keys = await selectKeys(db, { hashes });
	const byHash = new Map(keys.map((key) => [key.hash, key]));
	return hashes.map((hash) => byHash.get(hash));
});

/** Not null for a key whose pushes are Markdown. */
const MARKDOWN = sql<string | null>`(
	select api_key_id from markdown_keys where api_key_id = api_keys.id
)`.as('markdown');

/** The slugs of a key's channels, separated by spaces; null: it reaches every device. */
export const SLUGS = sql<string | null>`
	case when api_keys.scope = 'channels' then (
		select coalesce(string_agg(channels.slug, ' ' order by channels.slug), '')
		from api_key_channels inner join channels on channels.id = api_key_channels.channel_id
		where api_key_channels.api_key_id = api_keys.id
	) end`.as('slugs');

/** The slugs of the channels that a key is limited to; null: the key has no limit. */
export function toSlugs({ slugs }: { slugs: string | null }): string[] | null {
	return slugs?.split(' ').filter(Boolean) ?? null;
}

const selectKeys = statement((db: Db, params: { hashes: readonly string[] }) =>
	db
		.selectFrom('api_keys')
		.select(['id', 'account_id', 'kind', 'hash', 'last_used_at', 'revoked_at', SLUGS, MARKDOWN])
		.where(isAmong(db, 'hash', params.hashes)),
);

export function listApiKeys(db: Db, accountId: string) {
	return db
		.selectFrom('api_keys')
		.selectAll()
		.select([SLUGS, MARKDOWN])
		.where('account_id', '=', accountId)
		.orderBy('created_at')
		.execute();
}

/** @returns the key; undefined if it does not exist or is already revoked */
export function revokeApiKey(db: Db, accountId: string, keyId: string, now: number) {
	return db
		.updateTable('api_keys')
		.set({ revoked_at: now })
		.where('account_id', '=', accountId)
		.where('id', '=', keyId)
		.where('revoked_at', 'is', null)
		.returning(['kind', 'name', 'last_four'])
		.executeTakeFirst();
}

/** When a key was last accepted and refused; undefined fields are kept. */
export type KeyUse = Partial<Pick<ApiKeyRow, (typeof USE)[number]>>;

const USE = ['accepted_at', 'refused_at', 'refusal'] as const;

export const noteKeyUses = updateStatement('api_keys', ['id'], USE);

export const updateApiKey = updateBy('api_keys', 'id');
