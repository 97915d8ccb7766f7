import { DAY_MS } from '../../durations.ts';
import type { LinkInfo } from '../../contract/console/members.ts';
import { accountById } from '../../store/accounts/accounts.ts';
import type { Db, JoinLinkRow } from '../../store/schema.ts';
import { insertJoinLink, joinLinkByHash, takeJoinLink } from '../../store/people/join-links.ts';
import { type ActingContext, actingMember } from '../audit.ts';
import type { Context } from '../context.ts';
import { notFound, ownersOnly, type Refusal } from '../refusal.ts';
import { hashSecret, newId, newToken } from '../secrets.ts';

type Purpose = JoinLinkRow['purpose'];

const LIFETIME_MS: Record<Purpose, number> = { setup: DAY_MS, invite: 7 * DAY_MS, reset: DAY_MS };

/**
 * @returns the link's token; only its hash is stored
 * @throws Refusal `forbidden` for a member who has lost the role of owner since the request began: the link would
 *         outlive those that ended with it
 */
export async function storeLink(
	db: Db,
	context: ActingContext,
	link: Pick<JoinLinkRow, 'account_id' | 'purpose' | 'role' | 'email'> &
		Partial<Pick<JoinLinkRow, 'member_id'>>,
): Promise<string> {
	const maker = await actingMember(db, context, link.account_id ?? '');
	if (maker && maker.role !== 'owner') throw ownersOnly();
	const token = newToken();
	const now = context.now();
	await insertJoinLink(db, {
		member_id: null,
		...link,
		created_by: maker?.id ?? null,
		id: newId('lnk'),
		token_hash: hashSecret(token),
		created_at: now,
		expires_at: now + LIFETIME_MS[link.purpose],
	});
	return token;
}

function linkNotFound(): Refusal {
	return notFound(
		'Link not found',
		'This link was used or withdrawn, has expired, was replaced by a newer one, or its creator is no longer an owner. Ask for a new one.',
	);
}

/** @throws Refusal `not_found` when the link is not, or no longer, valid for one of these purposes */
export async function requireLink(context: Context, token: string, purposes: readonly Purpose[]) {
	const link = await joinLinkByHash(context.database.read, hashSecret(token), context.now());
	if (!link || !purposes.includes(link.purpose)) throw linkNotFound();
	return link;
}

/** Deletes the link from the store, so it works once. @throws Refusal `not_found` */
export async function takeLink(db: Db, context: Context, token: string): Promise<JoinLinkRow> {
	const link = await takeJoinLink(db, hashSecret(token), context.now());
	if (!link) throw linkNotFound();
	return link;
}

/** Describes the purpose of the link. @throws Refusal `not_found` */
export async function describeLink(context: Context, token: string): Promise<LinkInfo> {
	const link = await requireLink(context, token, ['setup', 'invite', 'reset']);
	const { purpose, role, email, account_id: id } = link;
	const account = id === null ? undefined : await accountById(context.database.read, id);
	return { purpose, role, account: account?.name ?? null, email };
}
