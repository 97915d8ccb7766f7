import { identity, instant, ref, table, text } from './columns.ts';

/** Metrics and their recent values. */
export const metricTables = {
	metrics: table(
		{
			account_id: ref('accounts'),
			key: text(),
			name: text(),
			format: text<'number' | 'currency' | 'percent' | 'unit' | 'string'>(),
			unit: text().nullable(),
			value_json: text().nullable(),
			measured_at: instant().nullable(),
			created_at: instant(),
		},
		'constraint metrics_pk primary key (account_id, key)',
	),

	/** The newest values of a metric, for a small chart. */
	metric_values: table(
		{
			id: identity(),
			account_id: text(),
			metric_key: text(),
			value_json: text(),
			measured_at: instant(),
		},
		'constraint metric_values_metric foreign key (account_id, metric_key) references metrics (account_id, key) on delete cascade',
		'index metric_values_by_metric on metric_values (account_id, metric_key, id)',
	),
};
