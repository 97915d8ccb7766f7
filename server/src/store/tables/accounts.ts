import { key, instant, integer, ref, table, text } from './columns.ts';

/** Accounts, their usage, users and API keys. */
export const accountTables = {
	accounts: table({
		id: key(),
		name: text().unique(),
		owner_email: text(),
		plan: text<'paid' | 'trial'>(),
		trial_started_at: instant().nullable(),
		trial_ends_at: instant().nullable(),
		/** Sends included: in the whole trial, or in each calendar month (UTC) of a paid plan; null = no limit. */
		quota: integer().nullable(),
		/** Sends a paid plan may make beyond its quota each month; null = no cap. */
		overage_cap: integer().nullable(),
		created_at: instant(),
		/** The IANA name of the zone of times in texts; null: UTC. */
		time_zone: text().nullable(),
	}),

	/** Sends counted per period: `trial`, or a month such as `2026-11`. */
	usage: table(
		{ account_id: ref('accounts'), period: text(), sends: integer() },
		'constraint usage_pk primary key (account_id, period)',
	),

	/** Requests of the public API per hour, feature and status. */
	request_counts: table(
		{
			account_id: ref('accounts'),
			/** Start of the hour. */
			hour: instant(),
			feature: text(),
			status: integer(),
			requests: integer(),
		},
		'constraint request_counts_pk primary key (account_id, hour, feature, status)',
		'index request_counts_by_hour on request_counts (hour)',
	),

	users: table(
		{
			id: key(),
			account_id: ref('accounts'),
			name: text(),
			email: text().nullable(),
			/** The person's choices for all of their phones, in the format of contract/device.ts; null: none. */
			preferences_json: text().nullable(),
			created_at: instant(),
			/** Removed, but named in the history; null: not removed. */
			removed_at: instant().nullable(),
		},
		'constraint users_name unique (account_id, name)',
	),

	api_keys: table(
		{
			id: key(),
			account_id: ref('accounts'),
			/** `api`: of the public API. `sender`: of the routes for other programs' notifications. */
			kind: text<'api' | 'sender'>(),
			name: text(),
			hash: text().unique(),
			last_four: text(),
			scope: text<'all' | 'channels'>(),
			created_at: instant(),
			last_used_at: instant().nullable(),
			revoked_at: instant().nullable(),
			/** Time of its last accepted request. */
			accepted_at: instant().nullable(),
			/** Time of its last refused request. */
			refused_at: instant().nullable(),
			/** The reason for that refusal, as a sentence. */
			refusal: text().nullable(),
		},
		'index api_keys_by_account on api_keys (account_id)',
	),

	/** The keys whose pushes are written in Markdown. */
	markdown_keys: table({ api_key_id: key().references('api_keys') }),
};
