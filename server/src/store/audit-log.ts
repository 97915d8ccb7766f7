import type { AuditQuery } from '../contract/console/audit.ts';
import { deleteSelected, insertInto } from './engine/by-key.ts';
import { eachWord, isLike } from './list-pages.ts';
import type { Db, NewAuditRow } from './schema.ts';

export const insertAuditEntry = insertInto('audit_log');

/**
 * Increments the count of the account's entry with the same event and subject since `since`, if any.
 * @returns whether there was one
 */
export async function repeatAuditEntry(db: Db, row: NewAuditRow, since: number) {
	const { account_id: accountId, event, subject, address } = row;
	const { numUpdatedRows } = await db
		.updateTable('audit_log')
		.set((eb) => ({ times: eb('times', '+', 1), address: address ?? null }))
		.where('account_id', '=', accountId)
		.where('event', '=', event)
		.where('subject', '=', subject ?? null)
		.where('at', '>', since)
		.executeTakeFirstOrThrow();
	return numUpdatedRows > 0n;
}

/** Newest first. `before`: only entries with smaller ids. */
export function listAuditEntries(
	db: Db,
	accountId: string,
	{ before, limit, event, search = '' }: AuditQuery,
) {
	const words = eachWord(search, (like) => [
		isLike(db, 'actor_name', like),
		isLike(db, 'subject', like),
	]);
	return db
		.selectFrom('audit_log')
		.selectAll()
		.where('account_id', '=', accountId)
		.$if(before !== undefined, (query) => query.where('id', '<', before ?? 0))
		.$if(event !== undefined, (query) => query.where('event', '=', event ?? ''))
		.where((eb) => eb.and(words))
		.orderBy('id', 'desc')
		.limit(limit)
		.execute();
}

/** @returns the number deleted, at most `limit` */
export function deleteAuditEntries(db: Db, before: number, limit: number) {
	const old = db.selectFrom('audit_log').select('id').where('at', '<', before);
	return deleteSelected(db, 'audit_log', 'id', old.orderBy('at').limit(limit));
}
