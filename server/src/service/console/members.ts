import type { MembersAnswer, Role } from '../../contract/console/members.ts';
import type { Db, MemberRow } from '../../store/schema.ts';
import {
	deleteJoinLink,
	deleteResetLinks,
	listInvitations,
} from '../../store/console/join-links.ts';
import {
	deleteMember,
	listMembers,
	memberById,
	countOwners,
	updateMember,
} from '../../store/console/members.ts';
import { type ActingContext, memberLabel, record } from '../administration/audit.ts';
import { type Context, isoTime, isoTimeOrNull } from '../context.ts';
import { Refusal } from '../refusal.ts';
import { storeLink } from './links.ts';

export async function listAccountMembers(
	context: Context,
	accountId: string,
): Promise<MembersAnswer> {
	const db = context.database.read;
	const [members, invitations] = await Promise.all([
		listMembers(db, accountId),
		listInvitations(db, accountId, context.now()),
	]);
	return {
		members: members.map((member) => ({
			id: member.id,
			name: member.name,
			email: member.email,
			role: member.role,
			created_at: isoTime(member.created_at),
			last_login_at: isoTimeOrNull(member.last_login_at),
		})),
		invitations: invitations.map(({ id, role, email, expires_at: expiresAt }) => ({
			id,
			role,
			email,
			expires_at: isoTime(expiresAt),
		})),
	};
}

async function memberNamed(db: Db, accountId: string, id: string): Promise<MemberRow> {
	const member = await memberById(db, accountId, id);
	if (member) return member;
	throw new Refusal('not_found', 'Member not found', 'This account has no such member.');
}

/** Keeps at least one owner: nobody could change an account without one. @throws Refusal `conflict` */
async function assertAnotherOwner(db: Db, member: MemberRow): Promise<void> {
	if (member.role !== 'owner' || (await countOwners(db, member.account_id)) > 1) return;
	throw new Refusal(
		'conflict',
		'Last owner',
		'This is the only owner of the account. Make somebody else an owner first.',
	);
}

/**
 * Creates a link to set a new password, valid once and for a day. Earlier ones stop working.
 * @returns the link's token
 * @throws Refusal `not_found`
 */
export function createResetLink(
	context: ActingContext,
	accountId: string,
	id: string,
): Promise<string> {
	return context.database.write(accountId, async (db) => {
		const member = await memberNamed(db, accountId, id);
		await deleteResetLinks(db, id);
		await record(db, context, accountId, 'password_reset_link_created', memberLabel(member));
		return storeLink(db, context, {
			account_id: accountId,
			purpose: 'reset',
			role: member.role,
			email: member.email,
			member_id: id,
		});
	});
}

/** Also ends the member's sessions. @throws Refusal `not_found` or `conflict` */
export async function removeMember(
	context: ActingContext,
	accountId: string,
	id: string,
): Promise<void> {
	await context.database.write(accountId, async (db) => {
		const member = await memberNamed(db, accountId, id);
		await assertAnotherOwner(db, member);
		await deleteMember(db, member.id);
		await record(db, context, accountId, 'member_removed', memberLabel(member));
	});
}

/** @throws Refusal `not_found` or `conflict` */
export async function changeRole(
	context: ActingContext,
	accountId: string,
	id: string,
	role: Role,
): Promise<void> {
	await context.database.write(accountId, async (db) => {
		const member = await memberNamed(db, accountId, id);
		if (role === 'member') await assertAnotherOwner(db, member);
		await updateMember(db, member.id, { role });
		await record(db, context, accountId, 'role_changed', `${memberLabel(member)}: ${role}`);
	});
}

/** @throws Refusal `not_found` */
export async function withdrawInvitation(
	context: ActingContext,
	accountId: string,
	id: string,
): Promise<void> {
	await context.database.write(accountId, async (db) => {
		const open = await listInvitations(db, accountId, context.now());
		const invitation = open.find((link) => link.id === id);
		if (!invitation) {
			throw new Refusal(
				'not_found',
				'Invitation not found',
				'This invitation has been used or withdrawn, or has expired.',
			);
		}
		await deleteJoinLink(db, id);
		await record(db, context, accountId, 'invitation_withdrawn', invitation.email);
	});
}
