import { compiledOnce } from '../engine/compiled-once.ts';
import type { NewValue } from './metric-values.ts';
import type { Db, MetricRow } from '../schema.ts';
import { selectedTogether } from '../engine/selected-together.ts';
import { requestWidgetReloads } from '../phones/widget-reloads.ts';

export async function insertMetric(db: Db, metric: MetricRow): Promise<void> {
	await db.insertInto('metrics').values(metric).execute();
}

export async function metricByKey(
	db: Db,
	accountId: string,
	key: string,
): Promise<MetricRow | undefined> {
	return (await selectMetric(db, { account_id: accountId, key }))[0];
}

const selectMetric = selectedTogether<Pick<MetricRow, 'account_id' | 'key'>, MetricRow>((db, the) =>
	db
		.selectFrom('metrics')
		.select([
			'account_id',
			'key',
			'name',
			'format',
			'unit',
			'value_json',
			'measured_at',
			'created_at',
		])
		.where(
			'account_id',
			'=',
			the((metric) => metric.account_id),
		)
		.where(
			'key',
			'=',
			the(({ key }) => key),
		),
);

export const listMetrics = compiledOnce<string, MetricRow>((db, the) =>
	db
		.selectFrom('metrics')
		.selectAll()
		.where(
			'account_id',
			'=',
			the((accountId) => accountId),
		)
		.orderBy('key'),
);

/** Stores the value unless a more recent measurement is stored. @returns whether it was stored */
export async function setMetricValue(db: Db, value: NewValue): Promise<boolean> {
	const isStored = (await setValue(db, value)).length > 0;
	if (isStored) await requestWidgetReloads(db, value.accountId);
	return isStored;
}

const setValue = compiledOnce<NewValue, { key: string }>((db, the) => {
	const measuredAt = the((value) => value.measuredAt);
	return db
		.updateTable('metrics')
		.set({ value_json: the(({ valueJson }) => valueJson), measured_at: measuredAt })
		.where(
			'account_id',
			'=',
			the(({ accountId }) => accountId),
		)
		.where(
			'key',
			'=',
			the(({ key }) => key),
		)
		.where((eb) => eb.or([eb('measured_at', 'is', null), eb('measured_at', '<=', measuredAt)]))
		.returning('key');
});
