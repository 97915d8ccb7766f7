import type { Db } from './schema.ts';

/** Values kept of each metric: enough for a small chart. */
export const VALUES_PER_METRIC = 100;

/** Adds a value and drops the one that is too many. */
export async function addMetricValue(
	db: Db,
	accountId: string,
	key: string,
	valueJson: string,
	measuredAt: number,
): Promise<void> {
	await db
		.insertInto('metric_values')
		.values({
			account_id: accountId,
			metric_key: key,
			value_json: valueJson,
			measured_at: measuredAt,
		})
		.execute();
	await db
		.deleteFrom('metric_values')
		.where('account_id', '=', accountId)
		.where('metric_key', '=', key)
		.where('id', '<=', (eb) =>
			eb
				.selectFrom('metric_values as newer')
				.select('newer.id')
				.where('newer.account_id', '=', accountId)
				.where('newer.metric_key', '=', key)
				.orderBy('newer.id', 'desc')
				.offset(VALUES_PER_METRIC)
				.limit(1),
		)
		.execute();
}

export interface MetricValueRow {
	metric_key: string;
	value_json: string;
	measured_at: number;
}

/** The kept values of every metric of the account, oldest first. */
export function metricValuesOf(db: Db, accountId: string): Promise<MetricValueRow[]> {
	return db
		.selectFrom('metric_values')
		.select(['metric_key', 'value_json', 'measured_at'])
		.where('account_id', '=', accountId)
		.orderBy('id')
		.execute();
}

/** @returns whether there was such a metric */
export async function deleteMetric(db: Db, accountId: string, key: string): Promise<boolean> {
	const result = await db
		.deleteFrom('metrics')
		.where('account_id', '=', accountId)
		.where('key', '=', key)
		.executeTakeFirst();
	return result.numDeletedRows > 0n;
}
