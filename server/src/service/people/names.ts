import type { Db, MemberRow } from '../../store/schema.ts';
import { listMembers, memberOfUser, updateMember } from '../../store/people/members.ts';
import { insertUser, renameUser, userById, userByName } from '../../store/people/users.ts';
import { UNNAMED_OWNER } from '../accounts/accounts.ts';
import type { Context } from '../context.ts';
import { conflict, type Refusal } from '../refusal.ts';
import { newId } from '../secrets.ts';

/** A member is also a user with phones; the two share one name. */
export function nameTaken(name: string): Refusal {
	return conflict(
		'Name in use',
		`There is already a person named ${name} in this account. Use another name, such as one with an initial. If that is you, an owner can merge the two afterward.`,
	);
}

/**
 * Finds the user whose phones belong to the new member. Behind a setup link: the one of the same name, or for
 * the first owner the one created with the account; otherwise a new one. An invited person chooses their own
 * name, and must not become someone else by it.
 * @returns the user's id
 * @throws Refusal `conflict` when another member, or for an invitation another user, has the name
 */
export async function personOfNewMember(
	db: Db,
	context: Context,
	accountId: string,
	{ name, email }: { name: string; email: string },
	isInvited: boolean,
): Promise<string> {
	const same = await userByName(db, accountId, name);
	if (same && (isInvited || (await memberOfUser(db, same.id)))) throw nameTaken(name);
	if (same) return same.id;
	if ((await listMembers(db, accountId)).length === 0) {
		const first = await userByName(db, accountId, UNNAMED_OWNER);
		if (first) {
			await renameUser(db, first, name);
			return first.id;
		}
	}
	const created_at = context.now();
	const user = { id: newId('usr'), account_id: accountId, name, email, created_at };
	return (await insertUser(db, user)).id;
}

/**
 * Renames a member together with their user.
 * @throws Refusal `conflict` when another user has the name
 */
export async function nameMember(db: Db, member: MemberRow, name: string): Promise<void> {
	const person =
		member.user_id === null ? undefined : await userById(db, member.account_id, member.user_id);
	const same = await userByName(db, member.account_id, name);
	if (same && same.id !== person?.id) throw nameTaken(name);
	if (person) await renameUser(db, person, name);
	await updateMember(db, member.id, { name });
}
