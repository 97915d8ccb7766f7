import { MINUTE_MS } from '../../durations.ts';
import type { InviteRequest, JoinRequest } from '../../contract/console/members.ts';
import { listAccounts } from '../../store/accounts/accounts.ts';
import type { AccountRow, JoinLinkRow } from '../../store/schema.ts';
import { accountWithoutOwner, deleteSetupLinks } from '../../store/people/join-links.ts';
import { insertMember, memberByEmail, updateMember } from '../../store/people/members.ts';
import { insertAccountWithOwner } from '../accounts/accounts.ts';
import { type ActingContext, COMMAND_LINE, record } from '../audit.ts';
import type { Context } from '../context.ts';
import { conflict } from '../refusal.ts';
import { newId } from '../secrets.ts';
import { requireLink, storeLink, takeLink } from './links.ts';
import { emailInUse, nameMember, personOfNewMember } from './names.ts';
import { requireUncommonPassword } from './password-rules.ts';
import { setPassword } from './profile.ts';
import { openSession } from './sessions.ts';

/** Milliseconds for which a server's link stays valid when another server makes one: several may start together. */
const STARTING_MS = MINUTE_MS;

/**
 * Creates a link that makes one person the account's owner. If a member with the same email address
 * exists, it resets their password. Earlier setup links of the account stop working.
 * @param account null: following the link creates an account
 * @param until links created after this time stay valid; undefined: none does
 * @returns the link's token
 */
export function createSetupLink(
	context: ActingContext,
	account: AccountRow | null,
	until?: number,
) {
	const { id: account_id, owner_email: email } = account ?? { id: null, owner_email: null };
	return context.database.write(account_id, async (db) => {
		if (account) await record(db, context, account.id, 'setup_link_created');
		await deleteSetupLinks(db, account_id, until);
		return storeLink(db, context, { account_id, purpose: 'setup', role: 'owner', email });
	});
}

/**
 * The link a server prints at startup while there is no account, or no owner who can sign in to an account
 * created by a command. The links of servers that start at the same time are all valid, until the first is used.
 * Undefined otherwise.
 */
export async function firstSetupLink(context: Context): Promise<string | undefined> {
	const db = context.database.read;
	const account = await accountWithoutOwner(db);
	if (!account && (await listAccounts(db)).length > 0) return undefined;
	const until = context.now() - STARTING_MS;
	return createSetupLink({ ...context, actor: COMMAND_LINE }, account ?? null, until);
}

/** Names an invitation in the audit log. */
export function invitationLabel({ role, email }: Pick<JoinLinkRow, 'role' | 'email'>): string {
	return `${email ?? 'anyone with the link'}: ${role}`;
}

/** @returns the invitation's token: valid once, for a week, and only for the email address if one is given */
export function inviteMember(context: ActingContext, accountId: string, request: InviteRequest) {
	const { role, email } = request;
	return context.database.write(accountId, async (db) => {
		const invited = { role, email: email ?? null };
		await record(db, context, accountId, 'member_invited', invitationLabel(invited));
		return storeLink(db, context, { account_id: accountId, purpose: 'invite', ...invited });
	});
}

/** @throws Refusal `conflict` when the invitation is for another address */
function requireInvited({ purpose, email }: JoinLinkRow, request: JoinRequest): void {
	if (purpose !== 'invite' || email === null || email === request.email) return;
	throw conflict(
		'Another email address',
		`This invitation is for ${email}. Join with that address, or ask for another invitation.`,
	);
}

/**
 * Uses up the link: its holder becomes a member with the link's role and is signed in.
 * @returns the new session's token
 * @throws Refusal `not_found` for a link that no longer works, `conflict` for a name or address in use or
 *         an address other than the invited one, `invalid` for a password that is too easy to guess
 */
export async function join(context: Context, request: JoinRequest): Promise<string> {
	requireUncommonPassword(request.password, [request.email, request.name, request.account ?? '']);
	// Check the link before the costly hash.
	const found = await requireLink(context, request.token, ['setup', 'invite']);
	requireInvited(found, request);
	const passwordHash = await context.passwords.hash(request.password);
	const now = context.now();
	const { name, email } = request;
	return context.database.write(found.account_id, async (db) => {
		const link = await takeLink(db, context, request.token);
		if (link.purpose === 'setup') await deleteSetupLinks(db, link.account_id);
		const named = { name: request.account ?? email, owner: email, plan: 'paid' as const };
		const accountId =
			link.account_id ?? (await insertAccountWithOwner(db, context, named)).account.id;
		const existing = await memberByEmail(db, email);
		if (existing && (link.purpose !== 'setup' || existing.account_id !== accountId))
			throw emailInUse();
		const id = existing?.id ?? newId('mbr');
		const actor = { kind: 'member' as const, id, name, email };
		if (existing) {
			await nameMember(db, existing, name);
			await updateMember(db, id, { role: link.role });
			await setPassword(db, id, passwordHash);
			await record(db, { ...context, actor }, accountId, 'password_reset', email);
			return openSession(db, id, now);
		}
		const isInvited = link.purpose === 'invite';
		const person = await personOfNewMember(db, context, accountId, request, isInvited);
		await insertMember(db, {
			id,
			account_id: accountId,
			name,
			email,
			role: link.role,
			password_hash: passwordHash,
			created_at: now,
			last_login_at: null,
			user_id: person,
		});
		await record(db, { ...context, actor }, accountId, 'member_joined', link.role);
		return openSession(db, id, now);
	});
}
