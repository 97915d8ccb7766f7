import type { ConsoleMetric, MetricRequest } from '../../contract/console/resources.ts';
import type { MetricValue } from '../../contract/metrics.ts';
import type { ShownMetric } from '../../contract/shown.ts';
import { fromJson } from '../../store/json.ts';
import {
	deleteMetric,
	insertMetric,
	listMetrics,
	listMetricValues,
	metricByKey,
} from '../../store/metrics.ts';
import type { MetricRow } from '../../store/schema.ts';
import { type ActingContext, record } from '../audit.ts';
import { type Context, isoTime, isoTimeOrNull } from '../context.ts';
import { conflict, notFound } from '../refusal.ts';

export function shownMetric(metric: MetricRow): ShownMetric {
	return {
		key: metric.key,
		name: metric.name,
		format: metric.format,
		unit: metric.unit,
		value: fromJson<MetricValue>(metric.value_json) ?? null,
		measured_at: isoTimeOrNull(metric.measured_at),
	};
}

/** @throws Refusal `conflict` when the account already has a metric with this key */
export async function createMetric(
	context: ActingContext,
	accountId: string,
	metric: MetricRequest,
): Promise<ShownMetric> {
	const row: MetricRow = {
		account_id: accountId,
		key: metric.key,
		name: metric.name,
		format: metric.format,
		unit: metric.unit ?? null,
		value_json: null,
		measured_at: null,
		created_at: context.now(),
	};
	await context.database.write(accountId, async (db) => {
		if (await metricByKey(db, accountId, metric.key)) {
			throw conflict(
				'Metric exists',
				`This account already has a metric with the key ${metric.key}.`,
			);
		}
		await insertMetric(db, row);
		await record(db, context, accountId, 'metric_created', metric.key);
	});
	context.openPages.metricsChanged(accountId);
	return shownMetric(row);
}

export async function listAccountMetrics(
	context: Context,
	accountId: string,
): Promise<ShownMetric[]> {
	return (await listMetrics(context.database.read, { accountId })).map(shownMetric);
}

/** The metrics with their newest values, oldest first. */
export async function metricsForConsole(
	context: Context,
	accountId: string,
): Promise<ConsoleMetric[]> {
	const [metrics, values] = await Promise.all([
		listAccountMetrics(context, accountId),
		listMetricValues(context.database.read, accountId),
	]);
	return metrics.map((metric) => ({
		...metric,
		recent: values
			.filter((row) => row.metric_key === metric.key)
			.map((row) => ({
				value: JSON.parse(row.value_json) as MetricValue,
				measured_at: isoTime(row.measured_at),
			})),
	}));
}

/** Deletes the metric and its values; widgets drop it at their next reload. @throws Refusal `not_found` */
export async function removeMetric(
	context: ActingContext,
	accountId: string,
	key: string,
): Promise<void> {
	await context.database.write(accountId, async (db) => {
		if (!(await deleteMetric(db, accountId, key)))
			throw notFound('Metric not found', `There is no metric with the key ${key}.`);
		await record(db, context, accountId, 'metric_deleted', key);
	});
	context.openPages.metricsChanged(accountId);
}
