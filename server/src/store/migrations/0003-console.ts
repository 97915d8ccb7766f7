import type { Kysely } from 'kysely';
import { growingId } from './columns.ts';

/** What the console needs: who signs in, links that let somebody in, and small tables of the recent past. */
export async function up(db: Kysely<unknown>): Promise<void> {
	const id = growingId(db);
	await db.schema
		.createTable('members')
		.addColumn('id', 'text', (c) => c.primaryKey())
		.addColumn('account_id', 'text', (c) =>
			c.notNull().references('accounts.id').onDelete('cascade'),
		)
		.addColumn('name', 'text', (c) => c.notNull())
		// Unique in the whole server: signing in names no account.
		.addColumn('email', 'text', (c) => c.notNull().unique())
		.addColumn('role', 'text', (c) => c.notNull())
		.addColumn('password_hash', 'text', (c) => c.notNull())
		.addColumn('created_at', 'bigint', (c) => c.notNull())
		.addColumn('last_login_at', 'bigint')
		.execute();
	await db.schema.createIndex('members_by_account').on('members').column('account_id').execute();

	await db.schema
		.createTable('sessions')
		.addColumn('token_hash', 'text', (c) => c.primaryKey())
		.addColumn('member_id', 'text', (c) => c.notNull().references('members.id').onDelete('cascade'))
		.addColumn('created_at', 'bigint', (c) => c.notNull())
		.addColumn('last_used_at', 'bigint', (c) => c.notNull())
		.addColumn('expires_at', 'bigint', (c) => c.notNull())
		.execute();
	await db.schema.createIndex('sessions_by_member').on('sessions').column('member_id').execute();

	await db.schema
		.createTable('join_links')
		.addColumn('id', 'text', (c) => c.primaryKey())
		.addColumn('token_hash', 'text', (c) => c.notNull().unique())
		.addColumn('account_id', 'text', (c) => c.references('accounts.id').onDelete('cascade'))
		.addColumn('purpose', 'text', (c) => c.notNull())
		.addColumn('role', 'text', (c) => c.notNull())
		.addColumn('email', 'text')
		.addColumn('created_at', 'bigint', (c) => c.notNull())
		.addColumn('expires_at', 'bigint', (c) => c.notNull())
		.execute();

	await db.schema
		.createTable('metric_values')
		.addColumn('id', id.type, id.column)
		.addColumn('account_id', 'text', (c) => c.notNull())
		.addColumn('metric_key', 'text', (c) => c.notNull())
		.addColumn('value_json', 'text', (c) => c.notNull())
		.addColumn('measured_at', 'bigint', (c) => c.notNull())
		.addForeignKeyConstraint(
			'metric_values_metric',
			['account_id', 'metric_key'],
			'metrics',
			['account_id', 'key'],
			(c) => c.onDelete('cascade'),
		)
		.execute();
	await db.schema
		.createIndex('metric_values_by_metric')
		.on('metric_values')
		.columns(['account_id', 'metric_key', 'id'])
		.execute();

	await db.schema
		.createTable('request_counts')
		.addColumn('account_id', 'text', (c) =>
			c.notNull().references('accounts.id').onDelete('cascade'),
		)
		.addColumn('hour', 'bigint', (c) => c.notNull())
		.addColumn('feature', 'text', (c) => c.notNull())
		.addColumn('status', 'integer', (c) => c.notNull())
		.addColumn('requests', 'integer', (c) => c.notNull())
		.addPrimaryKeyConstraint('request_counts_pk', ['account_id', 'hour', 'feature', 'status'])
		.execute();
}
