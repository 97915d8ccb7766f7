import { deleteBy, insertMissing, updateBy } from '../engine/by-key.ts';
import type { Db, MemberRow, SessionRow } from '../schema.ts';

export async function insertSession(db: Db, session: SessionRow): Promise<void> {
	await db.deleteFrom('sessions').where('expires_at', '<=', session.created_at).execute();
	await db.insertInto('sessions').values(session).execute();
}

type SessionWithMember = SessionRow &
	Pick<MemberRow, 'account_id' | 'name' | 'email' | 'role'> & {
		account_name: string;
		user_name: string | null;
	};

export function sessionByHash(db: Db, tokenHash: string): Promise<SessionWithMember | undefined> {
	return db
		.selectFrom('sessions')
		.innerJoin('members', 'members.id', 'sessions.member_id')
		.innerJoin('accounts', 'accounts.id', 'members.account_id')
		.leftJoin('users', 'users.id', 'members.user_id')
		.selectAll('sessions')
		.select([
			'members.account_id',
			'members.name',
			'members.email',
			'members.role',
			'accounts.name as account_name',
			'users.name as user_name',
		])
		.where('sessions.token_hash', '=', tokenHash)
		.executeTakeFirst();
}

export const updateSession = updateBy('sessions', 'token_hash');

export const deleteSession = deleteBy('sessions', 'token_hash');

export const insertSessionClient = insertMissing('session_clients');

/** A session with where it was opened; null: before that was stored. */
type SessionWithClient = SessionRow & { address: string | null; browser: string | null };

export function listSessions(db: Db, memberId: string): Promise<SessionWithClient[]> {
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
export async function deleteSessions(db: Db, memberId: string, except?: string): Promise<number> {
	const { numDeletedRows } = await db
		.deleteFrom('sessions')
		.where('member_id', '=', memberId)
		.$if(except !== undefined, (query) => query.where('token_hash', '!=', except ?? ''))
		.executeTakeFirstOrThrow();
	return Number(numDeletedRows);
}
