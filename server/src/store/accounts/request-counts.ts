import { compiledForRows } from '../engine/compiled-once.ts';
import type { RequestCountRow } from '../console-tables.ts';
import type { Db } from '../schema.ts';

/** @param forgetBefore counts of earlier hours are deleted; milliseconds since 1970 */
export async function addRequestCounts(
	db: Db,
	counts: readonly RequestCountRow[],
	forgetBefore: number,
): Promise<void> {
	// Always in this order, so two servers cannot deadlock on each other's rows.
	await addRows(
		db,
		counts.toSorted((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1)),
	);
	await db.deleteFrom('request_counts').where('hour', '<', forgetBefore).execute();
}

const addRows = compiledForRows<RequestCountRow, unknown>((db, rows) =>
	db
		.insertInto('request_counts')
		.values(
			rows.map((the) => ({
				account_id: the((row) => row.account_id),
				hour: the(({ hour }) => hour),
				feature: the(({ feature }) => feature),
				status: the(({ status }) => status),
				requests: the(({ requests }) => requests),
			})),
		)
		.onConflict((conflict) =>
			conflict.columns(['account_id', 'hour', 'feature', 'status']).doUpdateSet((eb) => ({
				requests: eb('request_counts.requests', '+', eb.ref('excluded.requests')),
			})),
		),
);

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
