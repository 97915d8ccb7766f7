import type { MembersResponse, OpenLink, Role } from '../../contract/console/members.ts';
import type { Db, JoinLinkRow, MemberRow } from '../../store/schema.ts';
import {
	deleteJoinLink,
	deleteMadeBy,
	deleteResetLinks,
	listOpenLinks,
} from '../../store/people/join-links.ts';
import {
	deleteMember,
	listMembers,
	memberById,
	countOwners,
	updateMember,
} from '../../store/people/members.ts';
import { type ActingContext, memberLabel, record } from '../audit.ts';
import { type Context, isoTime, isoTimeOrNull } from '../context.ts';
import { conflict, notFound } from '../refusal.ts';
import { invitationLabel } from './join.ts';
import { storeLink } from './links.ts';

export async function listAccountMembers(context: Context, accountId: string) {
	const db = context.database.read;
	const [members, links] = await Promise.all([
		listMembers(db, accountId),
		listOpenLinks(db, accountId, context.now()),
	]);
	const nameOf = (id: string | null) => members.find((member) => member.id === id)?.name ?? null;
	const shown = ({ id, created_by: maker, expires_at: end }: JoinLinkRow): OpenLink => ({
		id,
		created_by: nameOf(maker),
		expires_at: isoTime(end),
	});
	return {
		members: members.map((member) => ({
			id: member.id,
			name: member.name,
			email: member.email,
			role: member.role,
			created_at: isoTime(member.created_at),
			last_login_at: isoTimeOrNull(member.last_login_at),
		})),
		invitations: links
			.filter(({ purpose }) => purpose === 'invite')
			.map((link) => ({ ...shown(link), role: link.role, email: link.email })),
		reset_links: links
			.filter(({ purpose }) => purpose === 'reset')
			.map((link) => ({ ...shown(link), member: nameOf(link.member_id) ?? '' })),
	} satisfies MembersResponse;
}

async function requireMember(db: Db, accountId: string, id: string): Promise<MemberRow> {
	const member = await memberById(db, accountId, id);
	if (member) return member;
	throw notFound('Member not found', 'This account has no such member.');
}

/** Keeps at least one owner: without one, no one could change the account. @throws Refusal `conflict` */
async function requireAnotherOwner(db: Db, member: MemberRow) {
	if (member.role !== 'owner' || (await countOwners(db, member.account_id)) > 1) return;
	throw conflict(
		'Last owner',
		'This is the only owner of the account. Make someone else an owner first.',
	);
}

/**
 * Creates a link to set a new password, valid once and for a day. Earlier ones stop working.
 * @returns the link's token
 * @throws Refusal `not_found`
 */
export function createResetLink(context: ActingContext, accountId: string, id: string) {
	return context.database.write(accountId, async (db) => {
		const member = await requireMember(db, accountId, id);
		await deleteResetLinks(db, id);
		await record(db, context, accountId, 'password_reset_link_created', memberLabel(member));
		const { account_id, role, email } = member;
		return storeLink(db, context, { account_id, purpose: 'reset', role, email, member_id: id });
	});
}

/**
 * Also ends the member's sessions, and the links and pairing codes they created.
 * @throws Refusal `not_found` or `conflict`
 */
export async function removeMember(context: ActingContext, accountId: string, id: string) {
	await context.database.write(accountId, async (db) => {
		const member = await requireMember(db, accountId, id);
		await requireAnotherOwner(db, member);
		await deleteMember(db, member.id);
		await record(db, context, accountId, 'member_removed', memberLabel(member));
	});
}

/**
 * Links and pairing codes created by an owner end with that role.
 * @throws Refusal `not_found` or `conflict`
 */
export function changeRole(context: ActingContext, accountId: string, id: string, role: Role) {
	return context.database.write(accountId, async (db) => {
		const member = await requireMember(db, accountId, id);
		if (role === 'member') {
			await requireAnotherOwner(db, member);
			await deleteMadeBy(db, id);
		}
		await updateMember(db, member.id, { role });
		await record(db, context, accountId, 'role_changed', `${memberLabel(member)}: ${role}`);
	});
}

/** Revokes an invitation or a reset link. @throws Refusal `not_found` */
export async function withdrawLink(context: ActingContext, accountId: string, id: string) {
	await context.database.write(accountId, async (db) => {
		const open = await listOpenLinks(db, accountId, context.now());
		const link = open.find((candidate) => candidate.id === id);
		if (!link)
			throw notFound('Link not found', 'This link has been used or withdrawn, or has expired.');
		await deleteJoinLink(db, id);
		if (link.member_id === null) {
			await record(db, context, accountId, 'invitation_withdrawn', invitationLabel(link));
		} else {
			const member = memberLabel(await requireMember(db, accountId, link.member_id));
			await record(db, context, accountId, 'password_reset_link_withdrawn', member);
		}
	});
}
