import type { RequestCountRow } from './console-tables.ts';
import type { Db } from './schema.ts';

/** @param forgetBefore counts of earlier hours are deleted; milliseconds since 1970 */
export async function addRequestCounts(
	db: Db,
	counts: readonly RequestCountRow[],
	forgetBefore: number,
): Promise<void> {
	// In one order, so that no two servers wait for a row of one another.
	for (const row of counts.toSorted((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1))) {
		await db
			.insertInto('request_counts')
			.values(row)
			.onConflict((conflict) =>
				conflict
					.columns(['account_id', 'hour', 'feature', 'status'])
					.doUpdateSet((eb) => ({ requests: eb('request_counts.requests', '+', row.requests) })),
			)
			.execute();
	}
	await db.deleteFrom('request_counts').where('hour', '<', forgetBefore).execute();
}

function keyOf({ account_id: accountId, hour, feature, status }: RequestCountRow): string {
	return `${accountId} ${hour} ${feature} ${status}`;
}

export function requestCountsOf(
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
