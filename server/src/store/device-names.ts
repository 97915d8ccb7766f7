import type { Db } from './schema.ts';

/** @returns whether the account has the device */
export async function renameDevice(
	db: Db,
	accountId: string,
	id: string,
	name: string,
): Promise<boolean> {
	const result = await db
		.updateTable('devices')
		.set({ name })
		.where('account_id', '=', accountId)
		.where('id', '=', id)
		.executeTakeFirst();
	return result.numUpdatedRows > 0n;
}
