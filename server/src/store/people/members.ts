import { deleteBy, findBy, insertInto, listBy, updateBy } from '../engine/by-key.ts';
import type { Db } from '../schema.ts';

export const insertMember = insertInto('members');

export const memberByEmail = findBy('members', 'email');

export const memberById = findBy('members', 'account_id', 'id');

/** The member belonging to this user. */
export const memberOfUser = findBy('members', 'user_id');

export const listMembers = listBy('members', 'account_id', 'created_at');

export const updateMember = updateBy('members', 'id');

/** Also deletes their sessions, their reset links, and the links and pairing codes that they have made. */
export const deleteMember = deleteBy('members', 'id');

export async function countOwners(db: Db, accountId: string): Promise<number> {
	const { count } = await db
		.selectFrom('members')
		.select(({ fn }) => fn.countAll<number>().as('count'))
		.where('account_id', '=', accountId)
		.where('role', '=', 'owner')
		.executeTakeFirstOrThrow();
	return count;
}
