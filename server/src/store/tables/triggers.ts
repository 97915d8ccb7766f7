import { instant, integer, ref, table, text } from './columns.ts';

/** Workflows that buttons start, and the taps that they have not taken. */
export const triggerTables = {
	triggers: table(
		{
			account_id: ref('accounts'),
			/** Chosen by whoever listens. */
			id: text(),
			/** The key that listened last; null: it was deleted. */
			api_key_id: text().nullable().references('api_keys', 'set null'),
			name: text(),
			/** The session that gets the taps; null: nobody listens, or only a test. */
			session: text().nullable(),
			/** Some time after the end of its last wait; 0: it does not listen. */
			listens_until: instant(),
			/** The same for a test in n8n's editor. */
			tested_until: instant(),
			/** The number of the last tap. */
			taps: integer(),
			/** When it began to listen for the last time. */
			registered_at: instant(),
		},
		'constraint triggers_pk primary key (account_id, id)',
		'index triggers_by_listening on triggers (listens_until)',
	),

	trigger_taps: table(
		{
			account_id: text(),
			trigger_id: text(),
			number: integer(),
			/** The id that its phone gave it. */
			tap_id: text(),
			device_id: text(),
			/** Where the button is, as the phone has reported it. */
			report_json: text(),
			/** What the listener gets, as in contract/triggers.ts. */
			tap_json: text(),
			/** 1: the phones show that it waits, because nothing listened. */
			is_waiting: integer(),
			/** 1: taken. It is kept for a moment, for tests. */
			is_done: integer(),
			created_at: instant(),
		},
		'constraint trigger_taps_pk primary key (account_id, trigger_id, number)',
		'constraint trigger_taps_trigger foreign key (account_id, trigger_id) references triggers (account_id, id) on delete cascade',
		'index trigger_taps_by_time on trigger_taps (created_at)',
	),
};
