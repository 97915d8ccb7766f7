import type { ColumnDefinitionBuilder, Kysely } from 'kysely';
import { createIndexes, growingId, key, ofAccount, partOf, required, TIME } from '../columns.ts';

/** What a member has made for others to use goes with the member; null: made by a command. */
const ofMaker = (column: ColumnDefinitionBuilder) =>
	column.references('members.id').onDelete('cascade');

/** Members of the console, links that admit people, codes that admit phones, and the audit log. */
export async function createConsole(db: Kysely<unknown>): Promise<void> {
	await db.schema
		.createTable('members')
		.addColumn('id', 'text', key)
		.addColumn('account_id', 'text', ofAccount)
		.addColumn('user_id', 'text', (c) => c.references('users.id').onDelete('set null'))
		.addColumn('name', 'text', required)
		// Unique across the whole server: the sign-in does not name an account.
		.addColumn('email', 'text', (c) => c.notNull().unique())
		.addColumn('role', 'text', required)
		.addColumn('password_hash', 'text', required)
		.addColumn('created_at', TIME, required)
		.addColumn('last_login_at', TIME)
		.execute();

	await db.schema
		.createTable('sessions')
		.addColumn('token_hash', 'text', key)
		.addColumn('member_id', 'text', partOf('members.id'))
		.addColumn('created_at', TIME, required)
		.addColumn('last_used_at', TIME, required)
		.addColumn('expires_at', TIME, required)
		.execute();

	await db.schema
		.createTable('join_links')
		.addColumn('id', 'text', key)
		.addColumn('token_hash', 'text', (c) => c.notNull().unique())
		.addColumn('account_id', 'text', (c) => c.references('accounts.id').onDelete('cascade'))
		.addColumn('member_id', 'text', (c) => c.references('members.id').onDelete('cascade'))
		.addColumn('purpose', 'text', required)
		.addColumn('role', 'text', required)
		.addColumn('email', 'text')
		.addColumn('created_by', 'text', ofMaker)
		.addColumn('created_at', TIME, required)
		.addColumn('expires_at', TIME, required)
		.execute();

	await db.schema
		.createTable('pair_codes')
		.addColumn('code_hash', 'text', key)
		.addColumn('account_id', 'text', ofAccount)
		.addColumn('user_id', 'text', partOf('users.id'))
		.addColumn('device_id', 'text')
		.addColumn('created_by', 'text', ofMaker)
		.addColumn('expires_at', TIME, required)
		.addColumn('created_at', TIME, required)
		.execute();

	const id = growingId(db);
	await db.schema
		.createTable('audit_log')
		.addColumn('id', id.type, id.column)
		.addColumn('account_id', 'text', ofAccount)
		.addColumn('at', TIME, required)
		.addColumn('event', 'text', required)
		.addColumn('actor', 'text', required)
		.addColumn('actor_name', 'text')
		.addColumn('subject', 'text')
		.addColumn('address', 'text')
		.addColumn('times', 'integer', (c) => c.notNull().defaultTo(1))
		.execute();

	await createIndexes(db, [
		'members_by_account on members (account_id)',
		'sessions_by_member on sessions (member_id)',
		'audit_log_by_account on audit_log (account_id, id)',
	]);
}
