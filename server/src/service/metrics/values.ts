import type { MetricValueRequest, MetricValueResponse } from '../../contract/metrics.ts';
import type { Decision } from '../../store/engine/sets.ts';
import {
	type MeasuredMetric,
	metricsWithKeys,
	type NewMetricValue,
	storeMetricValues,
} from '../../store/metrics.ts';
import { requestWidgetReloads } from '../../store/phones/widget-reloads.ts';
import type { Db } from '../../store/schema.ts';
import type { Caller, Context } from '../context.ts';
import { notFound } from '../refusal.ts';
import { accepted, decision, inSets } from '../sending/sets.ts';

/**
 * POST /metrics/{key}/value.
 * @throws Refusal `not_found`
 */
export async function setMetric(
	context: Context,
	caller: Caller,
	key: string,
	request: MetricValueRequest,
): Promise<MetricValueResponse> {
	const stored = await storeValue(context, caller.accountId, { caller, key, request });
	if (stored) context.openPages.metricsChanged(caller.accountId);
	return { success: true };
}

const storeValue = inSets<ValueInput, NewMetricValue | undefined>(storeValues);

async function storeValues(
	db: Db,
	context: Context,
	asked: readonly ValueInput[],
): Promise<Array<Decision<NewMetricValue | undefined>>> {
	const now = context.now();
	const found = await metricsWithKeys(
		db,
		asked.map(({ caller, key }) => ({ account_id: caller.accountId, key })),
	);
	const metrics = new Map(found.map((metric) => [`${metric.account_id} ${metric.key}`, metric]));
	const decisions = asked.map((value) =>
		decision(() =>
			decideMetricValue(metrics.get(`${value.caller.accountId} ${value.key}`), value, now),
		),
	);
	const values = accepted(decisions).filter((value) => value !== undefined);
	await storeMetricValues(db, values);
	await requestWidgetReloads(db, new Set(values.map((value) => value.account_id)));
	return decisions;
}

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
		throw notFound(
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
