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

/** Takes the code out, so that it works once; undefined when it is unknown or has expired. */
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
