import type { AuditRow, Db, NewAuditRow } from './schema.ts';

export async function insertAuditEntry(db: Db, entry: NewAuditRow): Promise<void> {
	await db.insertInto('audit_log').values(entry).execute();
}

/**
 * Increments the count of the account's entry with the same event and subject since `since`, if any.
 * @returns whether there was one
 */
export async function repeatAuditEntry(
	db: Db,
	{ account_id: accountId, event, subject, address }: NewAuditRow,
	since: number,
): Promise<boolean> {
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

/** Newest first. @param before only entries with smaller ids */
export function listAuditEntries(
	db: Db,
	accountId: string,
	{ before, limit }: { before: number | undefined; limit: number },
): Promise<AuditRow[]> {
	return db
		.selectFrom('audit_log')
		.selectAll()
		.where('account_id', '=', accountId)
		.$if(before !== undefined, (query) => query.where('id', '<', before ?? 0))
		.orderBy('id', 'desc')
		.limit(limit)
		.execute();
}

/** @returns the number deleted, at most `limit` */
export async function deleteAuditEntries(db: Db, before: number, limit: number): Promise<number> {
	const { numDeletedRows } = await db
		.deleteFrom('audit_log')
		.where(
			'id',
			'in',
			db.selectFrom('audit_log').select('id').where('at', '<', before).orderBy('id').limit(limit),
		)
		.executeTakeFirstOrThrow();
	return Number(numDeletedRows);
}
