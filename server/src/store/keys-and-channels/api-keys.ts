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
): Promise<void> {
	await db.insertInto('api_keys').values(key).execute();
	if (isMarkdown) await db.insertInto('markdown_keys').values({ api_key_id: key.id }).execute();
	if (channelIds.length === 0) return;
	await db
		.insertInto('api_key_channels')
		.values(channelIds.map((channel_id) => ({ api_key_id: key.id, channel_id })))
		.execute();
}

/** The name of a key; of none, that of the console. */
export async function keyName(db: Db, id: string | null): Promise<string> {
	const query = db.selectFrom('api_keys').select('name').where('id', '=', id);
	return (await query.executeTakeFirst())?.name ?? 'Console';
}

/** True for a key that is revoked, or gone. */
export async function isRevoked(db: Db, id: string | null): Promise<boolean> {
	if (id === null) return false;
	const query = db.selectFrom('api_keys').select('revoked_at').where('id', '=', id);
	return (await query.executeTakeFirst())?.revoked_at !== null;
}

/** The key with this SHA-256, even if it is revoked. */
export const keyByHash = batched<string, FoundKey | undefined>(async (db, hashes) => {
	const keys = await selectKeys(db, { hashes });
	const byHash = new Map(keys.map((key) => [key.hash, key]));
	return hashes.map((hash) => byHash.get(hash));
});

/** The slugs of a key's channels, separated by spaces; null: it reaches every device. */
export type WithSlugs<K> = K & { slugs: string | null };

/** Not null for a key whose pushes are Markdown. */
type WithMarkdown<K> = K & { markdown: string | null };

export type FoundKey = WithMarkdown<
	WithSlugs<Pick<ApiKeyRow, 'id' | 'account_id' | 'kind' | 'hash' | 'last_used_at' | 'revoked_at'>>
>;

const MARKDOWN = sql<string | null>`(
	select api_key_id from markdown_keys where api_key_id = api_keys.id
)`.as('markdown');

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

const selectKeys = statement<{ hashes: readonly string[] }, FoundKey>((db, params) =>
	db
		.selectFrom('api_keys')
		.select(['id', 'account_id', 'kind', 'hash', 'last_used_at', 'revoked_at', SLUGS, MARKDOWN])
		.where(isAmong(db, 'hash', params.hashes)),
);

export function listApiKeys(
	db: Db,
	accountId: string,
): Promise<Array<WithMarkdown<WithSlugs<ApiKeyRow>>>> {
	return db
		.selectFrom('api_keys')
		.selectAll()
		.select([SLUGS, MARKDOWN])
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

/** When a key was last accepted and refused; undefined fields are kept. */
export type KeyUse = Partial<Pick<ApiKeyRow, 'accepted_at' | 'refused_at' | 'refusal'>>;

export const noteKeyUses = updateStatement(
	'api_keys',
	['id'],
	['accepted_at', 'refused_at', 'refusal'],
);

export const updateApiKey = updateBy('api_keys', 'id');
