import { countRows } from '../list-pages.ts';
import { deleteBy, findBy, insertInto, insertMissing, updateBy } from '../engine/by-key.ts';
import type { Db, SessionRow } from '../schema.ts';

export const insertMember = insertInto('members');

export const memberByEmail = findBy('members', 'email');

export const memberById = findBy('members', 'account_id', 'id');

/** The member belonging to this user. */
export const memberOfUser = findBy('members', 'user_id');

export function listMembers(db: Db, accountId: string) {
	const members = db.selectFrom('members').selectAll().where('account_id', '=', accountId);
	return members.orderBy('created_at').execute();
}

export const updateMember = updateBy('members', 'id');

/** Also deletes their sessions, their reset links, and the links and pairing codes that they have made. */
export const deleteMember = deleteBy('members', 'id');

/** Someone who can sign in. */
export function anyMember(db: Db) {
	return db.selectFrom('members').select('id').limit(1).executeTakeFirst();
}

export function countOwners(db: Db, accountId: string) {
	const owners = db.selectFrom('members').where('role', '=', 'owner');
	return countRows(owners.where('account_id', '=', accountId));
}

export async function insertSession(db: Db, session: SessionRow) {
	await db.deleteFrom('sessions').where('expires_at', '<=', session.created_at).execute();
	await db.insertInto('sessions').values(session).execute();
}

/** A session with its member and account, and the name of the member's person. */
export function sessionByHash(db: Db, tokenHash: string) {
	return db
		.selectFrom('sessions')
		.innerJoin('members', 'members.id', 'sessions.member_id')
		.innerJoin('accounts', 'accounts.id', 'members.account_id')
		.leftJoin('users', 'users.id', 'members.user_id')
		.selectAll('sessions')
		.select(['members.account_id', 'members.name', 'members.email', 'members.role'])
		.select(['members.user_id', 'accounts.name as account_name', 'users.name as user_name'])
		.where('sessions.token_hash', '=', tokenHash)
		.executeTakeFirst();
}

export const updateSession = updateBy('sessions', 'token_hash');

export const deleteSession = deleteBy('sessions', 'token_hash');

export const insertSessionClient = insertMissing('session_clients');

/** Sessions with where they were opened; null: before that was stored. */
export function listSessions(db: Db, memberId: string) {
	return db
		.selectFrom('sessions')
		.leftJoin('session_clients', 'session_clients.token_hash', 'sessions.token_hash')
		.selectAll('sessions')
		.select(['session_clients.address', 'session_clients.browser'])
		.where('member_id', '=', memberId)
		.orderBy('created_at', 'desc')
		.execute();
}

/** @param except hash of the session to keep @returns the number of sessions deleted */
export async function deleteSessions(db: Db, memberId: string, except?: string) {
	const { numDeletedRows } = await db
		.deleteFrom('sessions')
		.where('member_id', '=', memberId)
		.$if(except !== undefined, (query) => query.where('token_hash', '!=', except ?? ''))
		.executeTakeFirstOrThrow();
	return Number(numDeletedRows);
}
