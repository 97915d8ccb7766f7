import type { Db, PairCodeRow } from '../schema.ts';

export async function insertPairCode(db: Db, code: PairCodeRow): Promise<void> {
	await db.deleteFrom('pair_codes').where('expires_at', '<=', code.created_at).execute();
	await db.insertInto('pair_codes').values(code).execute();
}

/** Deletes and returns the code, so it works once; undefined if it is unknown or expired. */
export function takePairCode(
	db: Db,
	codeHash: string,
	now: number,
): Promise<Pick<PairCodeRow, 'account_id' | 'user_id' | 'device_id' | 'created_by'> | undefined> {
	return db
		.deleteFrom('pair_codes')
		.where('code_hash', '=', codeHash)
		.where('expires_at', '>', now)
		.returning(['account_id', 'user_id', 'device_id', 'created_by'])
		.executeTakeFirst();
}
