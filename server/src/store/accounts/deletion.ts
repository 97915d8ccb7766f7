import { sql } from 'kysely';
import { deleteBy, updateBy } from '../engine/by-key.ts';
import type { Db } from '../schema.ts';

const revokeKeys = updateBy('api_keys', 'account_id');
const disconnect = updateBy('devices', 'account_id');
const LINKS = [
	deleteBy('members', 'account_id'),
	deleteBy('join_links', 'account_id'),
	deleteBy('pair_codes', 'account_id'),
	deleteBy('repeats', 'account_id'),
	deleteBy('quiet_summaries', 'account_id'),
];

/** Makes an account unreachable: nobody can sign in, no key, link or phone works, and nothing is sent later. */
export async function shutAccount(db: Db, accountId: string, now: number): Promise<void> {
	for (const deleteAll of LINKS) await deleteAll(db, accountId);
	await revokeKeys(db, accountId, { revoked_at: now });
	await disconnect(db, accountId, { status: 'disconnected' });
}

/**
 * Deletes a phone or a key of the account without history. One at a time: no index names what may refer to it, so the
 * store looks through all deliveries, or all entries.
 * @returns whether there was one
 */
export async function deleteOne(
	db: Db,
	table: 'devices' | 'api_keys',
	accountId: string,
): Promise<boolean> {
	const { numAffectedRows } = await sql`
		delete from ${sql.table(table)} where id in (
			select id from ${sql.table(table)} where account_id = ${accountId} limit 1
		)`.execute(db);
	return numAffectedRows === 1n;
}

/** Deletes the account with all that is left of it. */
export const deleteAccountRow = deleteBy('accounts', 'id');
