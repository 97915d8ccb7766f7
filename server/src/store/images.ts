import type { Selectable } from 'kysely';
import { deleteSelected, findBy, insertInto } from './engine/by-key.ts';
import type { Db, Tables } from './schema.ts';

export type StoredImage = Pick<Selectable<Tables['images']>, 'type' | 'bytes'>;

export const insertImage = insertInto('images');

/** Bytes of all pictures of the account. */
export async function countStoredBytes(db: Db, accountId: string): Promise<number> {
	const { total } = await db
		.selectFrom('images')
		.select(({ fn }) => fn.sum<number | null>('size').as('total'))
		.where('account_id', '=', accountId)
		.executeTakeFirstOrThrow();
	return total ?? 0;
}

/** Much faster than reading its bytes: 0.02 ms on SQLite, against 2 to 4 ms for two megabytes. */
export async function hasImage(db: Db, pathHash: string): Promise<boolean> {
	const row = await db
		.selectFrom('images')
		.select('type')
		.where('path_hash', '=', pathHash)
		.executeTakeFirst();
	return row !== undefined;
}

export const imageByHash = findBy('images', 'path_hash');

/** Keeps a picture as long as the history entry; a later entry takes it over. */
export async function attachImage(
	db: Db,
	{ accountId, pathHash, historyId }: { accountId: string; pathHash: string; historyId: string },
): Promise<void> {
	await db
		.updateTable('images')
		.set({ history_id: historyId })
		.where('account_id', '=', accountId)
		.where('path_hash', '=', pathHash)
		.execute();
}

/** Deletes pictures from before a time that no push has used. @returns the number, at most `limit` */
export function deleteUnusedImages(db: Db, before: number, limit: number): Promise<number> {
	const unused = db
		.selectFrom('images')
		.select('path_hash')
		.where('history_id', 'is', null)
		.where('created_at', '<', before)
		.orderBy('created_at')
		.limit(limit);
	return deleteSelected(db, 'images', 'path_hash', unused);
}
