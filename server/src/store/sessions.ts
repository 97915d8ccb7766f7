import type { MemberRow, SessionRow } from './console-tables.ts';
import type { Db } from './schema.ts';

export async function insertSession(db: Db, session: SessionRow): Promise<void> {
	await db.deleteFrom('sessions').where('expires_at', '<=', session.created_at).execute();
	await db.insertInto('sessions').values(session).execute();
}

export type SessionWithMember = SessionRow &
	Pick<MemberRow, 'account_id' | 'name' | 'email' | 'role'> & { account_name: string };

export function sessionByHash(db: Db, tokenHash: string): Promise<SessionWithMember | undefined> {
	return db
		.selectFrom('sessions')
		.innerJoin('members', 'members.id', 'sessions.member_id')
		.innerJoin('accounts', 'accounts.id', 'members.account_id')
		.selectAll('sessions')
		.select([
			'members.account_id',
			'members.name',
			'members.email',
			'members.role',
			'accounts.name as account_name',
		])
		.where('sessions.token_hash', '=', tokenHash)
		.executeTakeFirst();
}

export async function touchSession(db: Db, tokenHash: string, now: number): Promise<void> {
	await db
		.updateTable('sessions')
		.set({ last_used_at: now })
		.where('token_hash', '=', tokenHash)
		.execute();
}

export async function deleteSession(db: Db, tokenHash: string): Promise<void> {
	await db.deleteFrom('sessions').where('token_hash', '=', tokenHash).execute();
}

export async function deleteSessionsOf(db: Db, memberId: string): Promise<void> {
	await db.deleteFrom('sessions').where('member_id', '=', memberId).execute();
}
