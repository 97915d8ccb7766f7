import type { InviteRequest, JoinRequest, LinkInfo } from '../../contract/console/people.ts';
import {
	accountById,
	accountByName,
	insertUser,
	listAccounts,
	userByName,
} from '../../store/accounts.ts';
import type { JoinLinkRow } from '../../store/console-tables.ts';
import {
	accountWithoutOwner,
	deleteSetupLinks,
	insertJoinLink,
	joinLinkByHash,
	takeJoinLink,
} from '../../store/join-links.ts';
import { insertMember, memberByEmail, updateMember } from '../../store/members.ts';
import type { Account, Db } from '../../store/schema.ts';
import { deleteSessionsOf } from '../../store/sessions.ts';
import { insertAccountWithOwner } from '../accounts.ts';
import type { Context } from '../context.ts';
import { Refusal } from '../refusal.ts';
import { hashOf, newConsoleToken, newId } from '../secrets.ts';
import { requireUncommonPassword } from './password-rules.ts';
import { hashPassword } from './passwords.ts';
import { openSession } from './sessions.ts';

const HOUR_MS = 60 * 60 * 1_000;
const SETUP_LIFETIME_MS = 24 * HOUR_MS;
const INVITATION_LIFETIME_MS = 7 * 24 * HOUR_MS;

async function storeLink(
	db: Db,
	link: Omit<JoinLinkRow, 'id' | 'token_hash' | 'expires_at'>,
	lifetimeMs: number,
): Promise<string> {
	const token = newConsoleToken();
	await insertJoinLink(db, {
		...link,
		id: newId('lnk'),
		token_hash: hashOf(token),
		expires_at: link.created_at + lifetimeMs,
	});
	return token;
}

/**
 * A link by which one person becomes the account's owner; where somebody with the same e-mail
 * address is, their password is set anew. Earlier setup links of the account stop working.
 * @param account null: following the link creates an account
 * @returns the link's token
 */
export function createSetupLink(context: Context, account: Account | null): Promise<string> {
	return context.database.write(account?.id ?? null, async (db) => {
		await deleteSetupLinks(db, account?.id ?? null);
		return storeLink(
			db,
			{
				account_id: account?.id ?? null,
				purpose: 'setup',
				role: 'owner',
				email: account?.owner_email ?? null,
				created_at: context.now(),
			},
			SETUP_LIFETIME_MS,
		);
	});
}

/**
 * The link that a starting server prints while somebody is missing: the first account, or an owner
 * who can sign in to an account that a command created. Undefined when nobody is.
 */
export async function firstSetupLink(context: Context): Promise<string | undefined> {
	const db = context.database.read;
	const account = await accountWithoutOwner(db);
	if (account) return createSetupLink(context, account);
	return (await listAccounts(db)).length === 0 ? createSetupLink(context, null) : undefined;
}

/** @returns the invitation's token, which works once, for a week */
export function inviteMember(
	context: Context,
	accountId: string,
	{ role, email }: InviteRequest,
): Promise<string> {
	return context.database.write(accountId, (db) =>
		storeLink(
			db,
			{
				account_id: accountId,
				purpose: 'invite',
				role,
				email: email ?? null,
				created_at: context.now(),
			},
			INVITATION_LIFETIME_MS,
		),
	);
}

function linkNotFound(): Refusal {
	return new Refusal(
		'not_found',
		'Link not found',
		'This link was used already, is too old, or was replaced by a newer one. Ask for a new one.',
	);
}

/** What the link is for. @throws Refusal `not_found` */
export async function describeLink(context: Context, token: string): Promise<LinkInfo> {
	const db = context.database.read;
	const link = await joinLinkByHash(db, hashOf(token), context.now());
	if (!link) throw linkNotFound();
	const account = link.account_id === null ? undefined : await accountById(db, link.account_id);
	return {
		purpose: link.purpose,
		role: link.role,
		account: account?.name ?? null,
		email: link.email,
	};
}

async function createAccountFor(db: Db, context: Context, request: JoinRequest): Promise<string> {
	const name = request.account ?? request.email;
	if (await accountByName(db, name)) {
		throw new Refusal('conflict', 'Account exists', `There is already an account named ${name}.`);
	}
	const { account } = await insertAccountWithOwner(db, context, {
		name,
		owner: request.email,
		plan: 'paid',
	});
	return account.id;
}

/** Somebody who joins by an invitation has phones of their own: a user of the same name, if there is none. */
async function ensureUser(
	db: Db,
	context: Context,
	accountId: string,
	{ name, email }: JoinRequest,
): Promise<void> {
	if (await userByName(db, accountId, name)) return;
	await insertUser(db, {
		id: newId('usr'),
		account_id: accountId,
		name,
		email,
		created_at: context.now(),
	});
}

/**
 * Uses the link up: whoever holds it becomes a member with the link's role, and is signed in.
 * @returns the new session's token
 * @throws Refusal `not_found` for a link that does not work any more, `conflict` for an address in
 *         use or not the invited one, `invalid` for a password that is too easy to guess
 */
export async function join(context: Context, request: JoinRequest): Promise<string> {
	requireUncommonPassword(request.password, [request.email, request.name, request.account ?? '']);
	// Before anything dear is computed for somebody without a link.
	await describeLink(context, request.token);
	const passwordHash = await hashPassword(request.password);
	const now = context.now();
	return context.database.write(null, async (db) => {
		const link = await takeJoinLink(db, hashOf(request.token), now);
		if (!link) throw linkNotFound();
		if (link.purpose === 'invite' && link.email !== null && link.email !== request.email)
			throw new Refusal(
				'conflict',
				'Another e-mail address',
				`This invitation is for ${link.email}. Join with that address, or ask for another invitation.`,
			);
		const accountId = link.account_id ?? (await createAccountFor(db, context, request));
		const existing = await memberByEmail(db, request.email);
		const isRecovery = link.purpose === 'setup' && existing?.account_id === accountId;
		if (existing && !isRecovery) {
			throw new Refusal(
				'conflict',
				'E-mail address in use',
				'Somebody with this e-mail address can sign in already. Sign in, or use another address.',
			);
		}
		const memberId = existing?.id ?? newId('mbr');
		if (existing) {
			await updateMember(db, memberId, {
				name: request.name,
				role: link.role,
				password_hash: passwordHash,
			});
			await deleteSessionsOf(db, memberId);
		} else {
			await insertMember(db, {
				id: memberId,
				account_id: accountId,
				name: request.name,
				email: request.email,
				role: link.role,
				password_hash: passwordHash,
				created_at: now,
				last_login_at: null,
			});
			if (link.purpose === 'invite') await ensureUser(db, context, accountId, request);
		}
		return openSession(db, memberId, now);
	});
}
