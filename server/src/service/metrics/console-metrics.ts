import type { ConsoleMetric } from '../../contract/console/resources.ts';
import type { MetricValue } from '../../contract/metrics.ts';
import { listMetricValues } from '../../store/metrics/metric-values.ts';
import { deleteMetric } from '../../store/metrics/metrics.ts';
import { type ActingContext, record } from '../audit.ts';
import { type Context, isoTime } from '../context.ts';
import { listAccountMetrics } from './metrics.ts';
import { notFound } from '../refusal.ts';

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
