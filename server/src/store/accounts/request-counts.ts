import { insertStatement } from '../engine/json-rows.ts';
import type { Db, RequestCountRow } from '../schema.ts';

/** @param forgetBefore deletes the counts of earlier hours; milliseconds since 1970 */
export async function addRequestCounts(
	db: Db,
	counts: readonly RequestCountRow[],
	forgetBefore: number,
): Promise<void> {
	// Always in this order, so two servers cannot deadlock on each other's rows.
	const sorted = counts.toSorted((a, b) => (toKey(a) < toKey(b) ? -1 : 1));
	await addRows(db, sorted);
	await db.deleteFrom('request_counts').where('hour', '<', forgetBefore).execute();
}

const KEY = ['account_id', 'hour', 'feature', 'status'] as const;

const addRows = insertStatement('request_counts', [...KEY, 'requests'], {
	addTo: { key: KEY, column: 'requests' },
});

function toKey({ account_id: accountId, hour, feature, status }: RequestCountRow): string {
	return `${accountId} ${hour} ${feature} ${status}`;
}

export function listRequestCounts(
	db: Db,
	accountId: string,
	since: number,
): Promise<RequestCountRow[]> {
	return db
		.selectFrom('request_counts')
		.selectAll()
		.where('account_id', '=', accountId)
		.where('hour', '>=', since)
		.orderBy('hour')
		.execute();
}
