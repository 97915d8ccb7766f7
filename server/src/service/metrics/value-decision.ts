import type { MetricValueRequest } from '../../contract/metrics.ts';
import type { MeasuredMetric, NewMetricValue } from '../../store/metrics/metric-values.ts';
import type { Caller } from '../context.ts';
import { Refusal } from '../refusal.ts';

export interface ValueInput {
	caller: Caller;
	key: string;
	request: MetricValueRequest;
}

/**
 * Decides a value on the metric as left by earlier values of the set, and updates it for the later ones.
 * The latest measurement wins. A future time counts as now, so one wrong clock cannot block every later
 * value.
 * @param metric undefined when it does not exist
 * @returns undefined for a value measured before the stored one
 * @throws Refusal `not_found`
 */
export function decideMetricValue(
	metric: MeasuredMetric | undefined,
	{ caller, key, request }: ValueInput,
	now: number,
): NewMetricValue | undefined {
	if (!metric) {
		throw new Refusal(
			'not_found',
			'Metric not found',
			`There is no metric with the key ${key}. Create it on the server first.`,
		);
	}
	const latest = metric.measured_at ?? -Infinity;
	const measuredAt =
		request.timestamp === undefined
			? // The clock of the server that stored the last one may be ahead of this one's.
				Math.max(now, latest)
			: Math.min(Date.parse(request.timestamp), now);
	if (measuredAt < latest) return undefined;
	metric.measured_at = measuredAt;
	return {
		account_id: caller.accountId,
		metric_key: key,
		value_json: JSON.stringify(request.value),
		measured_at: measuredAt,
	};
}
