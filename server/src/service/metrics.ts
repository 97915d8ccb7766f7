import type { ShownMetric } from '../contract/shown.ts';
import type {
	MetricFormat,
	MetricValue,
	MetricValueRequest,
	MetricValueResponse,
} from '../contract/metrics.ts';
import { fromJson } from '../store/json.ts';
import { addMetricValue } from '../store/metrics/metric-values.ts';
import {
	insertMetric,
	listMetrics,
	metricByKey,
	setMetricValue,
} from '../store/metrics/metrics.ts';
import type { MetricRow } from '../store/schema.ts';
import { type Caller, type Context, isoTime } from './context.ts';
import { Refusal } from './refusal.ts';

export function shownMetric(metric: MetricRow): ShownMetric {
	return {
		key: metric.key,
		name: metric.name,
		format: metric.format,
		unit: metric.unit,
		value: fromJson<MetricValue>(metric.value_json) ?? null,
		measured_at: metric.measured_at === null ? null : isoTime(metric.measured_at),
	};
}

/**
 * POST /metrics/{key}/value (service-api.md section 8): the latest measurement wins. A future time counts
 * as now, so one wrong clock cannot block every later value.
 * @throws Refusal `not_found`
 */
export async function setMetric(
	context: Context,
	caller: Caller,
	key: string,
	request: MetricValueRequest,
): Promise<MetricValueResponse> {
	const now = context.now();
	const wasStored = await context.database.write(
		caller.accountId,
		async (db) => {
			const metric = await metricByKey(db, caller.accountId, key);
			if (!metric) {
				throw new Refusal(
					'not_found',
					'Metric not found',
					`There is no metric with the key ${key}. Create it on the server first.`,
				);
			}
			const value = {
				accountId: caller.accountId,
				key,
				valueJson: JSON.stringify(request.value),
				measuredAt:
					request.timestamp === undefined
						? // The clock of the server that stored the last one may be ahead of this one's.
							Math.max(now, metric.measured_at ?? 0)
						: Math.min(Date.parse(request.timestamp), now),
			};
			const isNewest = await setMetricValue(db, value);
			if (isNewest) await addMetricValue(db, value);
			return isNewest;
		},
		{ beside: 'other accounts' },
	);
	if (wasStored) context.live.metricsChanged(caller.accountId);
	return { success: true };
}

export interface NewMetric {
	key: string;
	name: string;
	format: MetricFormat;
	unit?: string | undefined;
}

/** @throws Refusal `conflict` when the account already has a metric with this key */
export async function createMetric(
	context: Context,
	accountId: string,
	metric: NewMetric,
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
			throw new Refusal(
				'conflict',
				'Metric exists',
				`This account already has a metric with the key ${metric.key}.`,
			);
		}
		await insertMetric(db, row);
	});
	context.live.metricsChanged(accountId);
	return shownMetric(row);
}

export async function metricsOf(context: Context, accountId: string): Promise<ShownMetric[]> {
	return (await listMetrics(context.database.read, accountId)).map(shownMetric);
}
