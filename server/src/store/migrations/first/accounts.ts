import type { Kysely } from 'kysely';
import { createIndexes, key, ofAccount, required, TIME } from '../columns.ts';

/** Accounts, their usage, users and API keys. */
export async function createAccounts(db: Kysely<unknown>): Promise<void> {
	await db.schema
		.createTable('accounts')
		.addColumn('id', 'text', key)
		.addColumn('name', 'text', (c) => c.notNull().unique())
		.addColumn('owner_email', 'text', required)
		.addColumn('plan', 'text', required)
		.addColumn('trial_started_at', TIME)
		.addColumn('trial_ends_at', TIME)
		.addColumn('quota', 'integer')
		.addColumn('overage_cap', 'integer')
		.addColumn('created_at', TIME, required)
		.execute();

	await db.schema
		.createTable('usage')
		.addColumn('account_id', 'text', ofAccount)
		.addColumn('period', 'text', required)
		.addColumn('sends', 'integer', required)
		.addPrimaryKeyConstraint('usage_pk', ['account_id', 'period'])
		.execute();

	await db.schema
		.createTable('request_counts')
		.addColumn('account_id', 'text', ofAccount)
		.addColumn('hour', TIME, required)
		.addColumn('feature', 'text', required)
		.addColumn('status', 'integer', required)
		.addColumn('requests', 'integer', required)
		.addPrimaryKeyConstraint('request_counts_pk', ['account_id', 'hour', 'feature', 'status'])
		.execute();

	await db.schema
		.createTable('users')
		.addColumn('id', 'text', key)
		.addColumn('account_id', 'text', ofAccount)
		.addColumn('name', 'text', required)
		.addColumn('email', 'text')
		.addColumn('preferences_json', 'text')
		.addColumn('created_at', TIME, required)
		.addColumn('removed_at', TIME)
		.addUniqueConstraint('users_name', ['account_id', 'name'])
		.execute();

	await db.schema
		.createTable('api_keys')
		.addColumn('id', 'text', key)
		.addColumn('account_id', 'text', ofAccount)
		.addColumn('kind', 'text', required)
		.addColumn('name', 'text', required)
		.addColumn('hash', 'text', (c) => c.notNull().unique())
		.addColumn('last_four', 'text', required)
		.addColumn('scope', 'text', required)
		.addColumn('created_at', TIME, required)
		.addColumn('last_used_at', TIME)
		.addColumn('revoked_at', TIME)
		.addColumn('accepted_at', TIME)
		.addColumn('refused_at', TIME)
		.addColumn('refusal', 'text')
		.execute();

	await createIndexes(db, ['api_keys_by_account on api_keys (account_id)']);
}
