import type { CallbackState, QuestionStatus } from '../../contract/questions.ts';
import { assignedId, instant, integer, key, ref, table, text } from './columns.ts';

/** Questions, each with one answer. */
export const questionTables = {
	/** A question has the id of its history entry. What phones show of it is the content of its message. */
	questions: table(
		{
			id: key().references('history'),
			account_id: ref('accounts'),
			/** The key that asked; null: the console. */
			api_key_id: text().nullable(),
			message_id: assignedId().references('messages'),
			/** What only the server reads, as service/questions/question.ts has it. */
			terms_json: text(),
			status: text<QuestionStatus>(),
			/** 1: only the people in question_people may answer. */
			is_restricted: integer(),
			created_at: instant(),
			deadline_at: instant(),
			remind_at: instant().nullable(),
			reminders_left: integer(),
			escalate_at: instant().nullable(),
			escalated_json: text().nullable(),
			/** The first of these times; null: it has ended. */
			due_at: instant().nullable(),
			answer_json: text().nullable(),
			ended_at: instant().nullable(),
			callback: text<CallbackState>(),
			callback_tries: integer().default(0),
			/** The next call; during a call, the end of its lease; null: none. */
			callback_at: instant().nullable(),
		},
		'index questions_by_account on questions (account_id, id)',
		'index questions_open on questions (account_id, id) where ended_at is null',
		// Phones still show those of the last hour.
		'index questions_ended on questions (account_id, ended_at) where ended_at is not null',
		'index questions_by_message on questions (message_id)',
		'index questions_due on questions (due_at) where due_at is not null',
		'index questions_to_tell on questions (callback_at) where callback_at is not null',
	),

	question_people: table(
		{ question_id: ref('questions'), user_id: ref('users') },
		'constraint question_people_pk primary key (question_id, user_id)',
		'index question_people_by_user on question_people (user_id)',
	),
};
