import { type Kysely, sql } from 'kysely';
import { isPostgres } from '../../engine/dialect.ts';
import { ofAccount, partOf, required, key, TIME } from '../columns.ts';

/** The history with its activities and streams, and the taps on its buttons. */
export async function createHistory(db: Kysely<unknown>): Promise<void> {
	await db.schema
		.createTable('history')
		.addColumn('id', 'text', key)
		.addColumn('account_id', 'text', ofAccount)
		.addColumn('api_key_id', 'text', (c) => c.references('api_keys.id').onDelete('set null'))
		.addColumn('kind', 'text', required)
		.addColumn('title', 'text', required)
		.addColumn('channels_json', 'text')
		.addColumn('tags_json', 'text')
		.addColumn('metadata_json', 'text')
		.addColumn('created_at', TIME, required)
		.addColumn('ended_at', TIME)
		.execute();
	await db.schema
		.createIndex('history_by_time')
		.on('history')
		.columns(['account_id', 'created_at'])
		.execute();

	await db.schema
		.createTable('history_tags')
		.addColumn('history_id', 'text', partOf('history.id'))
		.addColumn('tag', 'text', required)
		.addPrimaryKeyConstraint('history_tags_pk', ['tag', 'history_id'])
		.execute();
	await db.schema
		.createIndex('history_tags_by_entry')
		.on('history_tags')
		.column('history_id')
		.execute();

	await db.schema
		.createTable('activities')
		.addColumn('id', 'text', (c) => c.primaryKey().references('history.id').onDelete('cascade'))
		.addColumn('account_id', 'text', required)
		.addColumn('stream_key', 'text')
		.addColumn('state_json', 'text', required)
		.addColumn('actions_json', 'text', required)
		.addColumn('channels_json', 'text')
		.addColumn('started_at', TIME, required)
		.addColumn('updated_at', TIME, required)
		.addColumn('ended_at', TIME)
		.addColumn('end_reason', 'text')
		.addColumn('dismiss_at', TIME)
		.execute();
	await db.schema
		.createIndex('activities_running')
		.on('activities')
		.columns(['account_id', 'ended_at', 'started_at'])
		.execute();
	// Activities of all accounts that have reached iOS's time limit.
	await sql`
		create index activities_outlived on activities (started_at)
		where ended_at is null`.execute(db);

	await db.schema
		.createTable('streams')
		.addColumn('account_id', 'text', ofAccount)
		.addColumn('stream_key', 'text', required)
		.addColumn('activity_id', 'text', (c) => c.references('activities.id').onDelete('set null'))
		.addColumn('state_json', 'text')
		.addColumn('actions_json', 'text')
		.addColumn('tags_json', 'text')
		.addColumn('channels_json', 'text')
		.addColumn('paused_at', TIME)
		.addColumn('updated_at', TIME, required)
		.addPrimaryKeyConstraint('streams_pk', ['account_id', 'stream_key'])
		.execute();
	await db.schema.createIndex('streams_by_activity').on('streams').column('activity_id').execute();

	await db.schema
		.createTable('images')
		.addColumn('path_hash', 'text', key)
		.addColumn('account_id', 'text', ofAccount)
		.addColumn('history_id', 'text', (c) => c.references('history.id').onDelete('cascade'))
		.addColumn('type', 'text', required)
		.addColumn('bytes', isPostgres(db) ? 'bytea' : 'blob', required)
		.addColumn('size', 'integer', required)
		.addColumn('created_at', TIME, required)
		.execute();
	// With the size: an account's total is read without the pictures themselves.
	await db.schema
		.createIndex('images_by_account')
		.on('images')
		.columns(['account_id', 'size'])
		.execute();
	await db.schema.createIndex('images_by_history').on('images').column('history_id').execute();
	await db.schema
		.createIndex('images_unused')
		.on('images')
		.column('created_at')
		.where(sql<boolean>`history_id is null`)
		.execute();

	await db.schema
		.createTable('taps')
		.addColumn('device_id', 'text', required)
		.addColumn('id', 'text', required)
		.addColumn('history_id', 'text', partOf('history.id'))
		.addColumn('user_name', 'text', required)
		.addColumn('device_name', 'text', required)
		.addColumn('button', 'text', required)
		.addColumn('outcome_json', 'text')
		.addColumn('created_at', TIME, required)
		.addPrimaryKeyConstraint('taps_pk', ['device_id', 'id'])
		.execute();
	await db.schema
		.createIndex('taps_by_history')
		.on('taps')
		.columns(['history_id', 'created_at'])
		.execute();
}
