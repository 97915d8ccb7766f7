import type { ImageType } from '../../contract/images.ts';
import { bytes, key, instant, integer, ref, table, text } from './columns.ts';

/** The history with its activities and streams, and the taps on its buttons. */
export const historyTables = {
	/** One row for each push, badge update and Live Activity, with its key and tags. */
	history: table(
		{
			id: key(),
			account_id: ref('accounts'),
			api_key_id: text().nullable().references('api_keys', 'set null'),
			kind: text<'push' | 'badge' | 'activity'>(),
			title: text(),
			channels_json: text().nullable(),
			tags_json: text().nullable(),
			metadata_json: text().nullable(),
			created_at: instant(),
			ended_at: instant().nullable(),
			/** The id of its request, as in the log and in X-Request-Id; null: there was none, or it is not known. */
			request_id: text().nullable(),
			/** The push's day, and a hash of account, channels and key (docs/api-decisions.md "Idempotency keys"). */
			idempotency_key: text().nullable(),
			/** For retries with the same key: a hash of the request, and what the response says beyond this row. */
			kept_json: text().nullable(),
		},
		'index history_by_time on history (account_id, created_at)',
		'index history_by_key on history (idempotency_key) where idempotency_key is not null',
	),

	history_tags: table(
		{ history_id: ref('history'), tag: text() },
		'constraint history_tags_pk primary key (tag, history_id)',
		'index history_tags_by_entry on history_tags (history_id)',
	),

	activities: table(
		{
			id: key().references('history'),
			account_id: text(),
			stream_key: text().nullable(),
			state_json: text(),
			actions_json: text(),
			/** Effective channel slugs, sorted; null: every device of the account. */
			channels_json: text().nullable(),
			started_at: instant(),
			updated_at: instant(),
			ended_at: instant().nullable(),
			end_reason: text().nullable(),
			dismiss_at: instant().nullable(),
		},
		'index activities_running on activities (account_id, ended_at, started_at)',
		// Activities of all accounts that have reached iOS's time limit.
		'index activities_outlived on activities (started_at) where ended_at is null',
	),

	streams: table(
		{
			account_id: ref('accounts'),
			stream_key: text(),
			activity_id: text().nullable().references('activities', 'set null'),
			state_json: text().nullable(),
			actions_json: text().nullable(),
			tags_json: text().nullable(),
			channels_json: text().nullable(),
			paused_at: instant().nullable(),
			updated_at: instant(),
		},
		'constraint streams_pk primary key (account_id, stream_key)',
		'index streams_by_activity on streams (activity_id)',
		// For streams to forget. With `is null`, SQLite would choose streams_by_activity, and read all without an activity.
		"index streams_quiet on streams (updated_at) where coalesce(activity_id, '') = '' and paused_at is null",
	),

	/** A picture for the media of a push. */
	images: table(
		{
			path_hash: key(),
			account_id: ref('accounts'),
			/** The newest entry that uses it, and with which it is deleted; null: none yet. */
			history_id: ref('history').nullable(),
			type: text<ImageType>(),
			bytes: bytes(),
			size: integer(),
			created_at: instant(),
		},
		// Contains the size, so that an account's total is read without the pictures themselves.
		'index images_by_account on images (account_id, size)',
		'index images_by_history on images (history_id)',
		'index images_unused on images (created_at) where history_id is null',
	),

	/**
	 * A tap a device reported, stored under the device's id for it, so it acts once. While it has no outcome,
	 * no other tap on the same entry calls a webhook, for at most the duration of one call.
	 */
	taps: table(
		{
			/** Not a reference: the answering device stays known after the phone is removed. */
			device_id: text(),
			id: text(),
			/** The push or Live Activity. */
			history_id: ref('history'),
			/** Names at the time of the tap. */
			user_name: text(),
			device_name: text(),
			/** Title of the button. */
			button: text(),
			/** The response to the device, in the format of contract/device.ts; null: none yet. */
			outcome_json: text().nullable(),
			created_at: instant(),
		},
		'constraint taps_pk primary key (device_id, id)',
		'index taps_by_history on taps (history_id, created_at)',
	),
};
