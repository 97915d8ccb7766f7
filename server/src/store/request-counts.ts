import type { RequestCountRow } from './console-tables.ts';
import type { Db } from './schema.ts';

export async function addRequestCounts(
	db: Db,
	counts: readonly RequestCountRow[],
	forgetBefore: number,
): Promise<void> {
	for (const row of counts) {
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
