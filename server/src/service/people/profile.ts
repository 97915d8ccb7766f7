import type {
	EmailRequest,
	OwnSession,
	PasswordRequest,
	ResetRequest,
} from '../../contract/console/members.ts';
import { deleteResetLinks } from '../../store/people/join-links.ts';
import {
	deleteSession,
	deleteSessions,
	listSessions,
	memberByEmail,
	memberById,
	updateMember,
} from '../../store/people/members.ts';
import type { Db, MemberRow, SessionRow } from '../../store/schema.ts';
import { type ActingContext, record } from '../audit.ts';
import { type Context, isoTime } from '../context.ts';
import { invalidField, notFound, unauthorized } from '../refusal.ts';
import { requireLink, takeLink } from './links.ts';
import { emailInUse, nameMember } from './names.ts';
import { requireUncommonPassword } from './password-rules.ts';
import { isOver, openSession, type SignedIn } from './sessions.ts';

/** Settings that members change themselves: name, email address, password, sessions. */

async function requireMember(db: Db, { accountId, memberId }: SignedIn) {
	const member = await memberById(db, accountId, memberId);
	if (member) return member;
	throw unauthorized('Not signed in', 'Sign in to the console first.');
}

async function requirePassword(context: Context, signedIn: SignedIn, current: string) {
	const member = await requireMember(context.database.read, signedIn);
	if (!(await context.passwords.matches(current, member.password_hash, 'known')))
		throw wrongPassword();
	return member;
}

const wrongPassword = () => invalidField('current_password', 'is wrong');

/** Checks again after hashing, which takes time: the member may have set a new password meanwhile. */
async function requireSamePassword(db: Db, signedIn: SignedIn, { password_hash: hash }: MemberRow) {
	if ((await requireMember(db, signedIn)).password_hash !== hash) throw wrongPassword();
}

/** @throws Refusal `conflict` when another user of the account has the name */
export async function changeOwnName(context: ActingContext, signedIn: SignedIn, name: string) {
	await context.database.write(signedIn.accountId, async (db) => {
		const member = await requireMember(db, signedIn);
		await nameMember(db, member, name, true);
		await record(db, context, signedIn.accountId, 'member_renamed', name);
	});
}

/**
 * Changes the address with which the member signs in; each address belongs to one member of the server.
 * @throws Refusal `invalid` when the current password is wrong, `conflict` when the address is taken
 */
export async function changeOwnEmail(
	context: ActingContext,
	signedIn: SignedIn,
	{ current_password: current, email }: EmailRequest,
) {
	const member = await requirePassword(context, signedIn, current);
	await context.database.write(signedIn.accountId, async (db) => {
		await requireSamePassword(db, signedIn, member);
		const other = await memberByEmail(db, email);
		if (other && other.id !== signedIn.memberId) throw emailInUse();
		await updateMember(db, signedIn.memberId, { email });
		await record(db, context, signedIn.accountId, 'email_changed', email);
	});
}

/**
 * Changes the password, and ends the member's other sessions and reset links.
 * @throws Refusal `invalid` when the current password is wrong or the new one too easy to guess
 * @throws TooManyRequests
 */
export async function changeOwnPassword(
	context: ActingContext,
	signedIn: SignedIn,
	{ current_password: current, password }: PasswordRequest,
) {
	const member = await requirePassword(context, signedIn, current);
	requireUncommonPassword(password, [member.email, member.name]);
	const passwordHash = await context.passwords.hash(password);
	await context.database.write(signedIn.accountId, async (db) => {
		await requireSamePassword(db, signedIn, member);
		await setPassword(db, signedIn.memberId, passwordHash, signedIn.sessionHash);
		await record(db, context, signedIn.accountId, 'password_changed');
	});
}

/** Also ends the member's sessions and reset links. */
export async function setPassword(
	db: Db,
	memberId: string,
	passwordHash: string,
	sessionThatStays?: string,
) {
	await updateMember(db, memberId, { password_hash: passwordHash });
	await deleteSessions(db, memberId, sessionThatStays);
	await deleteResetLinks(db, memberId);
}

/** The visitor's sessions, newest first. */
export async function ownSessions(context: Context, signedIn: SignedIn): Promise<OwnSession[]> {
	const now = context.now();
	const sessions = await listSessions(context.database.read, signedIn.memberId);
	return sessions
		.filter((session) => !isOver(session, now))
		.map((session) => ({
			id: toSessionId(session),
			address: session.address,
			browser: session.browser,
			signed_in_at: isoTime(session.created_at),
			last_used_at: isoTime(session.last_used_at),
			current: session.token_hash === signedIn.sessionHash,
		}));
}

/** A session's name in calls: a part of its hash, long enough never to match another session's. */
function toSessionId({ token_hash: hash }: Pick<SessionRow, 'token_hash'>): string {
	return hash.slice(0, 16);
}

/** Ends one of the visitor's sessions. @throws Refusal `not_found` */
export function endSession(context: ActingContext, signedIn: SignedIn, id: string) {
	return context.database.write(signedIn.accountId, async (db) => {
		const sessions = await listSessions(db, signedIn.memberId);
		const session = sessions.find((candidate) => toSessionId(candidate) === id);
		if (!session) throw notFound('Session not found', 'This session has ended already.');
		await deleteSession(db, session.token_hash);
		await record(db, context, signedIn.accountId, 'sessions_ended', '1');
	});
}

/** @returns the number of sessions ended */
export function endOtherSessions(context: ActingContext, signedIn: SignedIn): Promise<number> {
	return context.database.write(signedIn.accountId, async (db) => {
		const ended = await deleteSessions(db, signedIn.memberId, signedIn.sessionHash);
		await record(db, context, signedIn.accountId, 'sessions_ended', String(ended));
		return ended;
	});
}

/**
 * Uses up a reset link: its member gets the new password and is signed in, in this session only.
 * @returns the new session's token and the member's address
 * @throws Refusal `not_found` for a link that no longer works, `invalid` for a password that is too easy
 *         to guess
 */
export async function resetPassword(context: Context, { token, password }: ResetRequest) {
	const { account_id: accountId, email: address } = await requireLink(context, token, ['reset']);
	requireUncommonPassword(password, [address ?? '']);
	const passwordHash = await context.passwords.hash(password);
	return context.database.write(accountId, async (db) => {
		const { member_id: memberId } = await takeLink(db, context, token);
		const member = accountId && memberId && (await memberById(db, accountId, memberId));
		if (!member) throw new Error('The member of this reset link no longer exists');
		await setPassword(db, member.id, passwordHash);
		const { id, name, email } = member;
		const actor = { kind: 'member' as const, id, name, email };
		await record(db, { ...context, actor }, member.account_id, 'password_reset', email);
		return { session: await openSession(db, member.id, context.now()), email };
	});
}
