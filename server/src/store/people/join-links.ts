import { deleteBy } from '../engine/by-key.ts';
import type { Db, JoinLinkRow } from '../schema.ts';

export async function insertJoinLink(db: Db, link: JoinLinkRow) {
	await db.deleteFrom('join_links').where('expires_at', '<=', link.created_at).execute();
	await db.insertInto('join_links').values(link).execute();
}

/** Deletes the setup links that a new one, or an owner, replaces: all, or those made until a time. */
export async function deleteSetupLinks(
	db: Db,
	accountId: string | null,
	until = Number.MAX_SAFE_INTEGER,
) {
	await db
		.deleteFrom('join_links')
		.where('purpose', '=', 'setup')
		.where('created_at', '<=', until)
		.where('account_id', accountId === null ? 'is' : '=', accountId)
		.execute();
}

/** Deletes the member's reset links, which a new link or password replaces. */
export const deleteResetLinks = deleteBy('join_links', 'member_id');

export function joinLinkByHash(db: Db, tokenHash: string, now: number) {
	return db
		.selectFrom('join_links')
		.selectAll()
		.where('token_hash', '=', tokenHash)
		.where('expires_at', '>', now)
		.executeTakeFirst();
}

/** Deletes and returns the link, so it works once; undefined if it is unknown or expired. */
export function takeJoinLink(db: Db, tokenHash: string, now: number) {
	return db
		.deleteFrom('join_links')
		.where('token_hash', '=', tokenHash)
		.where('expires_at', '>', now)
		.returningAll()
		.executeTakeFirst();
}

export const deleteJoinLink = deleteBy('join_links', 'id');

/** Deletes the links and pairing codes that the member created for others. */
export async function deleteMadeBy(db: Db, memberId: string) {
	await db.deleteFrom('join_links').where('created_by', '=', memberId).execute();
	await db.deleteFrom('pair_codes').where('created_by', '=', memberId).execute();
}

/** The account's invitations and reset links that still work, oldest first. */
export function listOpenLinks(db: Db, accountId: string, now: number) {
	return db
		.selectFrom('join_links')
		.selectAll()
		.where('account_id', '=', accountId)
		.where('purpose', '!=', 'setup')
		.where('expires_at', '>', now)
		.orderBy('created_at')
		.execute();
}

/** The oldest account without an owner who can sign in. */
export function accountWithoutOwner(db: Db) {
	return db
		.selectFrom('accounts')
		.selectAll()
		.where('id', 'not in', (eb) =>
			eb.selectFrom('members').select('account_id').where('role', '=', 'owner'),
		)
		.orderBy('created_at')
		.limit(1)
		.executeTakeFirst();
}
