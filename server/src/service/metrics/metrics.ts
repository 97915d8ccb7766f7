import type { MetricRequest } from '../../contract/console/resources.ts';
import type { ShownMetric } from '../../contract/shown.ts';
import type { MetricValue } from '../../contract/metrics.ts';
import { fromJson } from '../../store/json.ts';
import { insertMetric, listMetrics, metricByKey } from '../../store/metrics/metrics.ts';
import type { MetricRow } from '../../store/schema.ts';
import { type ActingContext, record } from '../audit.ts';
import { type Context, isoTimeOrNull } from '../context.ts';
import { conflict } from '../refusal.ts';

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
