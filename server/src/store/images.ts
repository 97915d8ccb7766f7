import type { Selectable } from 'kysely';
import { deleteSelected, findBy, insertInto, updateBy } from './engine/by-key.ts';
import type { Db, Tables } from './schema.ts';

export type StoredImage = Pick<Selectable<Tables['images']>, 'type' | 'bytes'>;

export const insertImage = insertInto('images');

/** Bytes of all pictures of the account. */
export async function countStoredBytes(db: Db, accountId: string) {
	const { total } = await db
		.selectFrom('images')
		.select(({ fn }) => fn.sum<number | null>('size').as('total'))
		.where('account_id', '=', accountId)
		.executeTakeFirstOrThrow();
	return total ?? 0;
}

/**
 * Does not read the bytes: both stores know their length without them. The column `size` is not used here, since
 * SQLite keeps it behind the bytes, and reads through all of their pages to get to it.
 */
export async function findImageSize(db: Db, pathHash: string) {
	const row = await db
		.selectFrom('images')
		.select(({ fn }) => fn<number>('length', ['bytes']).as('size'))
		.where('path_hash', '=', pathHash)
		.executeTakeFirst();
	return row?.size;
}

export const imageByHash = findBy('images', 'path_hash');

export const updateImage = updateBy('images', 'account_id', 'path_hash');

/** Deletes pictures from before a time that no push has used. @returns the number, at most `limit` */
export function deleteUnusedImages(db: Db, before: number, limit: number) {
	const unused = db
		.selectFrom('images')
		.select('path_hash')
		.where('history_id', 'is', null)
		.where('created_at', '<', before)
		.orderBy('created_at')
		.limit(limit);
	return deleteSelected(db, 'images', 'path_hash', unused);
}
