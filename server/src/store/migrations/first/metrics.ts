import type { Kysely } from 'kysely';
import { createIndexes, growingId, ofAccount, required, TIME } from '../columns.ts';

/** Metrics and their recent values. */
export async function createMetrics(db: Kysely<unknown>): Promise<void> {
	await db.schema
		.createTable('metrics')
		.addColumn('account_id', 'text', ofAccount)
		.addColumn('key', 'text', required)
		.addColumn('name', 'text', required)
		.addColumn('format', 'text', required)
		.addColumn('unit', 'text')
		.addColumn('value_json', 'text')
		.addColumn('measured_at', TIME)
		.addColumn('created_at', TIME, required)
		.addPrimaryKeyConstraint('metrics_pk', ['account_id', 'key'])
		.execute();

	const id = growingId(db);
	await db.schema
		.createTable('metric_values')
		.addColumn('id', id.type, id.column)
		.addColumn('account_id', 'text', required)
		.addColumn('metric_key', 'text', required)
		.addColumn('value_json', 'text', required)
		.addColumn('measured_at', TIME, required)
		.addForeignKeyConstraint(
			'metric_values_metric',
			['account_id', 'metric_key'],
			'metrics',
			['account_id', 'key'],
			(c) => c.onDelete('cascade'),
		)
		.execute();

	await createIndexes(db, [
		'metric_values_by_metric on metric_values (account_id, metric_key, id)',
	]);
}
