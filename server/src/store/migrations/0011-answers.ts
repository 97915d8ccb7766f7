import type { Kysely } from 'kysely';
import { growingId } from './columns.ts';

/** What questions and their answers need: who tapped which button of what, and pushes that change. */
export async function up(db: Kysely<unknown>): Promise<void> {
	await db.schema.dropTable('taps').execute();
	await db.schema
		.createTable('taps')
		.addColumn('device_id', 'text', (c) => c.notNull())
		.addColumn('id', 'text', (c) => c.notNull())
		.addColumn('history_id', 'text', (c) =>
			c.notNull().references('history.id').onDelete('cascade'),
		)
		.addColumn('user_name', 'text', (c) => c.notNull())
		.addColumn('device_name', 'text', (c) => c.notNull())
		.addColumn('button', 'text', (c) => c.notNull())
		.addColumn('outcome_json', 'text')
		.addColumn('created_at', 'bigint', (c) => c.notNull())
		.addPrimaryKeyConstraint('taps_pk', ['device_id', 'id'])
		.execute();
	await db.schema
		.createIndex('taps_by_history')
		.on('taps')
		.columns(['history_id', 'created_at'])
		.execute();
	await db.schema
		.alterTable('deliveries')
		.addColumn('push_delivery_id', growingId(db).reference)
		.execute();
}
