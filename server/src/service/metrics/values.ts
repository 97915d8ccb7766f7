import type { MetricValueRequest, MetricValueResponse } from '../../contract/metrics.ts';
import type { Decision } from '../../store/engine/sets.ts';
import {
	metricsWithKeys,
	type NewMetricValue,
	storeMetricValues,
} from '../../store/metrics/metric-values.ts';
import { requestWidgetReloads } from '../../store/phones/widget-reloads.ts';
import type { Db } from '../../store/schema.ts';
import type { Caller, Context } from '../context.ts';
import { decideMetricValue, type ValueInput } from './value-decision.ts';
import { accepted, decision, inSets } from '../in-sets.ts';

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
