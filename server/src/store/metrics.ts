import { type Insertable, sql } from 'kysely';
import { deleteBy, findBy, insertInto } from './engine/by-key.ts';
import { isPostgres } from './engine/dialect.ts';
import { insertStatement, rowsStatement, updateStatement } from './engine/json-rows.ts';
import { isAmong, statement } from './engine/statement.ts';
import type { Db, MetricRow, MetricValueRow, Tables } from './schema.ts';

export const insertMetric = insertInto('metrics');

export const metricByKey = findBy('metrics', 'account_id', 'key');

export async function changeMetricLook(
	db: Db,
	{ accountId, key }: { accountId: string; key: string },
	look: Pick<MetricRow, 'name' | 'format' | 'unit'>,
): Promise<void> {
	await db
		.updateTable('metrics')
		.set(look)
		.where('account_id', '=', accountId)
		.where('key', '=', key)
		.execute();
}

export const listMetrics = statement<{ accountId: string }, MetricRow>((db, params) =>
	metricsList(db, params.accountId),
);

export const deleteMetric = deleteBy('metrics', 'account_id', 'key');

/** Values kept per metric: enough for a small chart. */
const VALUES_PER_METRIC = 100;

/** A metric with the time of its latest value. */
export type MeasuredMetric = Pick<MetricRow, 'account_id' | 'key' | 'measured_at'>;

/** The existing metrics with these keys, of several accounts. */
export const metricsWithKeys = rowsStatement(
	'metrics',
	['account_id', 'key'],
	(_db, rows) => sql<MeasuredMetric>`
		select metrics.account_id, metrics.key, metrics.measured_at
		from (${rows}) as asked
		cross join metrics
		where metrics.account_id = asked.account_id and metrics.key = asked.key`,
);

export type NewMetricValue = Insertable<Tables['metric_values']>;

/**
 * Stores new values, makes the last one of each metric its latest, and drops the oldest above the limit.
 * @param values in the order of arrival
 */
export async function storeMetricValues(db: Db, values: readonly NewMetricValue[]): Promise<void> {
	const latest = new Map(values.map((value) => [`${value.account_id} ${value.metric_key}`, value]));
	const metrics = [...latest.values()].map(
		({ account_id, metric_key: key, value_json, measured_at }) => ({
			account_id,
			key,
			value_json,
			measured_at,
		}),
	);
	await updateMetrics(db, metrics);
	await insertValues(db, values);
	await dropOldest(db, metrics);
}

const updateMetrics = updateStatement(
	'metrics',
	['account_id', 'key'],
	['value_json', 'measured_at'],
);

const insertValues = insertStatement('metric_values', [
	'account_id',
	'metric_key',
	'value_json',
	'measured_at',
]);

/** Looks up each metric in the index: PostgreSQL would join the whole table, as it guesses many keys. */
const dropOldest = rowsStatement('metrics', ['account_id', 'key'], (db, rows) => {
	const asked = sql`(${rows}) as asked`;
	const kept = sql.lit(VALUES_PER_METRIC);
	return isPostgres(db)
		? sql`
			delete from metric_values where id = any(array(
				select oldest.id
				from ${asked}
				cross join lateral (
					select id from metric_values
					where account_id = asked.account_id and metric_key = asked.key
					order by id desc offset ${kept}
				) as oldest
			))`
		: sql`
			delete from metric_values where id in (
				select oldest.id
				from ${asked}
				cross join metric_values as oldest
				where oldest.account_id = asked.account_id and oldest.metric_key = asked.key
					and oldest.id <= (
						select newer.id from metric_values as newer
						where newer.account_id = asked.account_id and newer.metric_key = asked.key
						order by newer.id desc limit 1 offset ${kept}
					)
			)`;
});

export function metricsList(db: Db, accountId: string) {
	return db.selectFrom('metrics').selectAll().where('account_id', '=', accountId).orderBy('key');
}

/** The stored values of these metrics, oldest first. */
export function listMetricValues(
	db: Db,
	accountId: string,
	keys: readonly string[],
): Promise<Array<Pick<MetricValueRow, 'metric_key' | 'value_json' | 'measured_at'>>> {
	return db
		.selectFrom('metric_values')
		.select(['metric_key', 'value_json', 'measured_at'])
		.where('account_id', '=', accountId)
		.where(isAmong(db, 'metric_key', keys))
		.orderBy('id')
		.execute();
}
