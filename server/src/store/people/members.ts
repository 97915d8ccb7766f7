import type { Db, MemberRow } from '../schema.ts';

export async function insertMember(db: Db, member: MemberRow): Promise<void> {
	await db.insertInto('members').values(member).execute();
}

export function memberByEmail(db: Db, email: string): Promise<MemberRow | undefined> {
	return db.selectFrom('members').selectAll().where('email', '=', email).executeTakeFirst();
}

export function memberById(db: Db, accountId: string, id: string): Promise<MemberRow | undefined> {
	return db
		.selectFrom('members')
		.selectAll()
		.where('account_id', '=', accountId)
		.where('id', '=', id)
		.executeTakeFirst();
}

/** The member belonging to this user. */
export function memberOfUser(db: Db, userId: string): Promise<MemberRow | undefined> {
	return db.selectFrom('members').selectAll().where('user_id', '=', userId).executeTakeFirst();
}

export function listMembers(db: Db, accountId: string): Promise<MemberRow[]> {
	return db
		.selectFrom('members')
		.selectAll()
		.where('account_id', '=', accountId)
		.orderBy('created_at')
		.execute();
}

export async function updateMember(
	db: Db,
	id: string,
	change: Partial<Pick<MemberRow, 'name' | 'role' | 'password_hash' | 'last_login_at' | 'user_id'>>,
): Promise<void> {
	await db.updateTable('members').set(change).where('id', '=', id).execute();
}

/** Also deletes their sessions, their reset links, and the links and pairing codes that they have made. */
export async function deleteMember(db: Db, id: string): Promise<void> {
	await db.deleteFrom('members').where('id', '=', id).execute();
}

export async function countOwners(db: Db, accountId: string): Promise<number> {
	const { count } = await db
		.selectFrom('members')
		.select(({ fn }) => fn.countAll<number>().as('count'))
		.where('account_id', '=', accountId)
		.where('role', '=', 'owner')
		.executeTakeFirstOrThrow();
	return count;
}
