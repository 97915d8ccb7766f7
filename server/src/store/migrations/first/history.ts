import type { Kysely } from 'kysely';
import { isPostgres } from '../../engine/dialect.ts';
import { createIndexes, key, ofAccount, partOf, required, TIME } from '../columns.ts';

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
		.createTable('history_tags')
		.addColumn('history_id', 'text', partOf('history.id'))
		.addColumn('tag', 'text', required)
		.addPrimaryKeyConstraint('history_tags_pk', ['tag', 'history_id'])
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

	await createIndexes(db, [
		'history_by_time on history (account_id, created_at)',
		'history_tags_by_entry on history_tags (history_id)',
		'activities_running on activities (account_id, ended_at, started_at)',
		// Activities of all accounts that have reached iOS's time limit.
		'activities_outlived on activities (started_at) where ended_at is null',
		'streams_by_activity on streams (activity_id)',
		// With the size: an account's total is read without the pictures themselves.
		'images_by_account on images (account_id, size)',
		'images_by_history on images (history_id)',
		'images_unused on images (created_at) where history_id is null',
		'taps_by_history on taps (history_id, created_at)',
	]);
}
