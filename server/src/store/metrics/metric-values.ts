import { compiledOnce } from '../engine/compiled-once.ts';
import type { Db } from '../schema.ts';
import { storedTogether } from '../engine/stored-together.ts';

/** Values kept per metric: enough for a small chart. */
const VALUES_PER_METRIC = 100;

export interface NewValue {
	accountId: string;
	key: string;
	valueJson: string;
	measuredAt: number;
}

/** Adds a value and drops the oldest one above the limit. */
export async function addMetricValue(db: Db, value: NewValue): Promise<void> {
	await insertOne(db, value);
	await dropOldest(db, value);
}

const insertOne = storedTogether<NewValue>((db, rows) =>
	db.insertInto('metric_values').values(
		rows.map((the) => ({
			account_id: the(({ accountId }) => accountId),
			metric_key: the(({ key }) => key),
			value_json: the(({ valueJson }) => valueJson),
			measured_at: the(({ measuredAt }) => measuredAt),
		})),
	),
);

const dropOldest = compiledOnce<NewValue, unknown>((db, the) => {
	const accountId = the((value) => value.accountId);
	const key = the((value) => value.key);
	return db
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
		);
});

export interface MetricValueRow {
	metric_key: string;
	value_json: string;
	measured_at: number;
}

/** The stored values of every metric of the account, oldest first. */
export function metricValuesOf(db: Db, accountId: string): Promise<MetricValueRow[]> {
	return db
		.selectFrom('metric_values')
		.select(['metric_key', 'value_json', 'measured_at'])
		.where('account_id', '=', accountId)
		.orderBy('id')
		.execute();
}

/** @returns whether the metric existed */
export async function deleteMetric(db: Db, accountId: string, key: string): Promise<boolean> {
	const result = await db
		.deleteFrom('metrics')
		.where('account_id', '=', accountId)
		.where('key', '=', key)
		.executeTakeFirst();
	return result.numDeletedRows > 0n;
}
