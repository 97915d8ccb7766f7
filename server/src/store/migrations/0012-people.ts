import { type Kysely, sql } from 'kysely';
import { growingId } from './columns.ts';

/** Which person a member is, what can be removed while its history stays, and the audit log. */
export async function up(db: Kysely<unknown>): Promise<void> {
	await db.schema
		.alterTable('members')
		.addColumn('user_id', 'text', (c) => c.references('users.id').onDelete('set null'))
		.execute();
	await sql`
		update members set user_id = (
			select users.id from users
			where users.account_id = members.account_id and users.name = members.name)`.execute(db);

	await db.schema
		.alterTable('join_links')
		.addColumn('member_id', 'text', (c) => c.references('members.id').onDelete('cascade'))
		.execute();
	await db.schema.alterTable('pair_codes').addColumn('device_id', 'text').execute();
	for (const table of ['users', 'devices'])
		await db.schema.alterTable(table).addColumn('removed_at', 'bigint').execute();

	const id = growingId(db);
	await db.schema
		.createTable('audit_log')
		.addColumn('id', id.type, id.column)
		.addColumn('account_id', 'text', (c) =>
			c.notNull().references('accounts.id').onDelete('cascade'),
		)
		.addColumn('at', 'bigint', (c) => c.notNull())
		.addColumn('event', 'text', (c) => c.notNull())
		.addColumn('actor', 'text', (c) => c.notNull())
		.addColumn('actor_name', 'text')
		.addColumn('subject', 'text')
		.addColumn('address', 'text')
		.addColumn('times', 'integer', (c) => c.notNull().defaultTo(1))
		.execute();
	await db.schema
		.createIndex('audit_log_by_account')
		.on('audit_log')
		.columns(['account_id', 'id'])
		.execute();
}
