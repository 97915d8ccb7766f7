import type { Db } from '../schema.ts';

export async function insertPairCode(
	db: Db,
	code: {
		code_hash: string;
		account_id: string;
		user_id: string;
		device_id: string;
		expires_at: number;
		created_at: number;
	},
): Promise<void> {
	await db.deleteFrom('pair_codes').where('expires_at', '<=', code.created_at).execute();
	await db.insertInto('pair_codes').values(code).execute();
}

/** Deletes and returns the code, so it works once; undefined if it is unknown or expired. */
export function takePairCode(
	db: Db,
	codeHash: string,
	now: number,
): Promise<{ account_id: string; user_id: string; device_id: string | null } | undefined> {
	return db
		.deleteFrom('pair_codes')
		.where('code_hash', '=', codeHash)
		.where('expires_at', '>', now)
		.returning(['account_id', 'user_id', 'device_id'])
		.executeTakeFirst();
}
