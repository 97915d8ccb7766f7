import { compiledOnce } from './compiled-once.ts';
import type { Db, MetricRow } from './schema.ts';
import { requestWidgetReloads } from './widget-reloads.ts';

export async function insertMetric(db: Db, metric: MetricRow): Promise<void> {
	await db.insertInto('metrics').values(metric).execute();
}

export function metricByKey(
	db: Db,
	accountId: string,
	key: string,
): Promise<MetricRow | undefined> {
	return db
		.selectFrom('metrics')
		.selectAll()
		.where('account_id', '=', accountId)
		.where('key', '=', key)
		.executeTakeFirst();
}

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

/** Stores the value unless a later measured one is stored. @returns whether it was stored */
export async function setMetricValue(
	db: Db,
	accountId: string,
	key: string,
	valueJson: string,
	measuredAt: number,
): Promise<boolean> {
	const result = await db
		.updateTable('metrics')
		.set({ value_json: valueJson, measured_at: measuredAt })
		.where('account_id', '=', accountId)
		.where('key', '=', key)
		.where((eb) => eb.or([eb('measured_at', 'is', null), eb('measured_at', '<=', measuredAt)]))
		.executeTakeFirst();
	const isStored = result.numUpdatedRows > 0n;
	if (isStored) await requestWidgetReloads(db, accountId);
	return isStored;
}
