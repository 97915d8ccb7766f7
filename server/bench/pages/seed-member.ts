import { openSession } from '../../src/service/people/sessions.ts';
import { insertMember } from '../../src/store/people/members.ts';
import type { Db } from '../../src/store/schema.ts';

/** Makes an owner of account number `n`, already signed in. @returns the session's token */
export async function seedMember(db: Db, n: number): Promise<string> {
	const now = Date.now();
	const id = `mem_${n}`;
	await insertMember(db, {
		id,
		account_id: `acc_${n}`,
		name: 'Olga',
		email: 'olga@example.com',
		role: 'owner',
		// No password has this hash.
		password_hash: '',
		created_at: now,
		last_login_at: now,
		user_id: `usr_${n}`,
	});
	return openSession(db, id, now);
}
