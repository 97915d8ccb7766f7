import { statement } from '../engine/statement.ts';
import type { Db, MetricRow } from '../schema.ts';

export async function insertMetric(db: Db, metric: MetricRow): Promise<void> {
	await db.insertInto('metrics').values(metric).execute();
}

export function metricByKey(
	db: Db,
	accountId: string,
	key: string,
): Promise<MetricRow | undefined> {
	return db
		.selectFrom('metrics')
		.selectAll()
		.where('account_id', '=', accountId)
		.where('key', '=', key)
		.executeTakeFirst();
}

export const listMetrics = statement<{ accountId: string }, MetricRow>((db, the) =>
	db.selectFrom('metrics').selectAll().where('account_id', '=', the.accountId).orderBy('key'),
);

/** @returns whether the metric existed */
export async function deleteMetric(db: Db, accountId: string, key: string): Promise<boolean> {
	const result = await db
		.deleteFrom('metrics')
		.where('account_id', '=', accountId)
		.where('key', '=', key)
		.executeTakeFirst();
	return result.numDeletedRows > 0n;
}
