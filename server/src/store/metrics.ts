import { type Insertable, sql } from 'kysely';
import { deleteBy, findBy, insertInto, updateBy } from './engine/by-key.ts';
import { isAmong, isPostgres, statement } from './engine/statement.ts';
import { listPart, type Part } from './list-pages.ts';
import {
	insertStatement,
	rowsStatement,
	selectStatement,
	updateStatement,
} from './engine/json-rows.ts';
import { columnsOf, type Db, type MetricRow, type Tables } from './schema.ts';

const KEY = ['account_id', 'key'] as const;

export const insertMetric = insertInto('metrics');

export const metricByKey = findBy('metrics', ...KEY);

export const updateMetric = updateBy('metrics', ...KEY);

export const listMetrics = statement((db: Db, params: { accountId: string }) =>
	metricsList(db, params.accountId),
);

export const deleteMetric = deleteBy('metrics', ...KEY);

/** Values kept per metric: enough for a small chart. */
const VALUES_PER_METRIC = 100;

/** A metric with the time of its latest value. */
export type MeasuredMetric = Pick<MetricRow, 'account_id' | 'key' | 'measured_at'>;

/** The existing metrics with these keys, of several accounts. */
export const metricsWithKeys = selectStatement('metrics', KEY, [...KEY, 'measured_at']);

export type NewMetricValue = Insertable<Tables['metric_values']>;

/**
 * Stores new values, makes the last one of each metric its latest, and drops the oldest above the limit.
 * @param values in the order of arrival
 */
export async function storeMetricValues(db: Db, values: readonly NewMetricValue[]) {
	const latest = new Map(values.map((value) => [`${value.account_id} ${value.metric_key}`, value]));
	const metrics = [...latest.values()].map(({ metric_key: key, ...value }) => ({ ...value, key }));
	await updateMetrics(db, metrics);
	await insertValues(db, values);
	await dropOldest(db, metrics);
}

const updateMetrics = updateStatement('metrics', KEY, ['value_json', 'measured_at']);

const insertValues = insertStatement('metric_values', columnsOf('metric_values', 'id'));

/** Looks up each metric in the index: PostgreSQL would join the whole table, as it guesses many keys. */
const dropOldest = rowsStatement('metrics', KEY, (db, rows) => {
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

export function metricsPart(db: Db, part: Part) {
	const metrics = db.selectFrom('metrics').select(['key', 'name', 'format', 'unit']);
	return listPart(metrics.where('account_id', '=', part.accountId), 'key', part);
}

export function metricsList(db: Db, accountId: string) {
	return db.selectFrom('metrics').selectAll().where('account_id', '=', accountId).orderBy('key');
}

/** The stored values of these metrics, oldest first. */
export function listMetricValues(db: Db, accountId: string, keys: readonly string[]) {
	return db
		.selectFrom('metric_values')
		.select(['metric_key', 'value_json', 'measured_at'])
		.where('account_id', '=', accountId)
		.where(isAmong(db, 'metric_key', keys))
		.orderBy('id')
		.execute();
}
