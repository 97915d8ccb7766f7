import type { MetricChange, MetricRequest, MetricsPage } from '../contract/console/resources.ts';
import type { MetricValue, MetricValueRequest, MetricValueResponse } from '../contract/metrics.ts';
import type { ShownMetric } from '../contract/shown.ts';
import { accepted, decision } from '../store/engine/sets.ts';
import { type Db, fromJson, type MetricRow } from '../store/schema.ts';
import { listPage } from '../store/list-pages.ts';
import {
	updateMetric,
	deleteMetric,
	insertMetric,
	listMetrics,
	listMetricValues,
	type MeasuredMetric,
	metricByKey,
	metricsList,
	metricsWithKeys,
	type NewMetricValue,
	storeMetricValues,
} from '../store/metrics.ts';
import { requestWidgetReloads } from '../store/phones/widget-reloads.ts';
import { type ActingContext, record } from './audit.ts';
import { type Caller, type Context, isoTime, isoTimeOrNull, type SetContext } from './context.ts';
import { conflict, notFound, type Refusal } from './refusal.ts';

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
	const created = { account_id: accountId, unit: metric.unit ?? null, created_at: context.now() };
	const row: MetricRow = { ...metric, ...created, value_json: null, measured_at: null };
	await context.database.write(accountId, async (db) => {
		if (await metricByKey(db, accountId, metric.key))
			throw conflict(
				'Metric exists',
				`This account already has a metric with the key ${metric.key}.`,
			);
		await insertMetric(db, row);
		await record(db, context, accountId, 'metric_created', metric.key);
	});
	context.openPages.metricsChanged(accountId);
	return shownMetric(row);
}

/** Renames the metric or shows it in another format. @throws Refusal `not_found` */
export async function changeMetric(
	context: ActingContext,
	accountId: string,
	key: string,
	{ name, format, unit }: MetricChange,
) {
	await context.database.write(accountId, async (db) => {
		if (!(await metricByKey(db, accountId, key))) throw metricNotFound(key);
		await updateMetric(db, accountId, key, { name, format, unit: unit ?? null });
		await record(db, context, accountId, 'metric_changed', key);
	});
	context.openPages.metricsChanged(accountId);
}

function metricNotFound(key: string): Refusal {
	return notFound('Metric not found', `There is no metric with the key ${key}.`);
}

export async function listAccountMetrics(context: Context, accountId: string) {
	return (await listMetrics(context.database.read, { accountId })).map(shownMetric);
}

/** A page of the metrics with their newest values, oldest first. */
export async function metricsForConsole(context: Context, accountId: string, page: number) {
	const { rows, ...found } = await listPage(context.database, page, (db) =>
		metricsList(db, accountId),
	);
	const keys = rows.map(({ key }) => key);
	const recent = await context.database.readInTurn((db) => listMetricValues(db, accountId, keys));
	const values = Map.groupBy(recent, ({ metric_key: key }) => key);
	const metrics = rows.map((metric) => ({
		...shownMetric(metric),
		recent: (values.get(metric.key) ?? []).map((row) => ({
			value: JSON.parse(row.value_json) as MetricValue,
			measured_at: isoTime(row.measured_at),
		})),
	}));
	return { metrics, ...found } satisfies MetricsPage;
}

/** Deletes the metric and its values; widgets drop it at their next reload. @throws Refusal `not_found` */
export async function removeMetric(context: ActingContext, accountId: string, key: string) {
	await context.database.write(accountId, async (db) => {
		if (!(await deleteMetric(db, accountId, key))) throw metricNotFound(key);
		await record(db, context, accountId, 'metric_deleted', key);
	});
	context.openPages.metricsChanged(accountId);
}

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
	const stored = await context.inSets(storeValues)(caller.accountId, { caller, key, request });
	if (stored) context.openPages.metricsChanged(caller.accountId);
	return { success: true };
}

async function storeValues(db: Db, context: SetContext, inputs: readonly ValueInput[]) {
	const now = context.now();
	const keys = inputs.map(({ caller, key }) => ({ account_id: caller.accountId, key }));
	const found = await metricsWithKeys(db, keys);
	const metrics = new Map(found.map((metric) => [`${metric.account_id} ${metric.key}`, metric]));
	const decisions = inputs.map((input) =>
		decision(() =>
			decideMetricValue(metrics.get(`${input.caller.accountId} ${input.key}`), input, now),
		),
	);
	const values = accepted(decisions).filter((value) => value !== undefined);
	await storeMetricValues(db, values);
	const accountIds = [...new Set(values.map((value) => value.account_id))];
	await requestWidgetReloads(db, { accountIds });
	return decisions;
}

interface ValueInput {
	caller: Caller;
	key: string;
	request: MetricValueRequest;
}

/**
 * Decides a value based on the metric as earlier values of the set left it, and updates it for later ones.
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
	if (!metric)
		throw notFound(
			'Metric not found',
			`There is no metric with the key ${key}. Create it on the server first.`,
		);
	const latest = metric.measured_at ?? -Infinity;
	const measuredAt =
		request.timestamp === undefined
			? // The clock of the server that stored the last value may be ahead of this one's.
				Math.max(now, latest)
			: Math.min(Date.parse(request.timestamp), now);
	if (measuredAt < latest) return undefined;
	metric.measured_at = measuredAt;
	const value_json = JSON.stringify(request.value);
	return { account_id: caller.accountId, metric_key: key, value_json, measured_at: measuredAt };
}
