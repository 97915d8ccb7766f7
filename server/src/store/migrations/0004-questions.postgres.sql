-- Written by `npm run sql -w server` from src/store/tables/.
create table questions (
	id text primary key references history (id) on delete cascade,
	account_id text not null references accounts (id) on delete cascade,
	api_key_id text,
	message_id bigint not null references messages (id) on delete cascade,
	terms_json text not null,
	status text not null,
	is_restricted integer not null,
	created_at bigint not null,
	deadline_at bigint not null,
	remind_at bigint,
	reminders_left integer not null,
	escalate_at bigint,
	escalated_json text,
	due_at bigint,
	answer_json text,
	ended_at bigint,
	callback text not null,
	callback_tries integer not null default 0,
	callback_at bigint
);

create index questions_by_account on questions (account_id, id);

create index questions_open on questions (account_id, id) where ended_at is null;

create index questions_ended on questions (account_id, ended_at) where ended_at is not null;

create index questions_by_message on questions (message_id);

create index questions_due on questions (due_at) where due_at is not null;

create index questions_to_tell on questions (callback_at) where callback_at is not null;

create table question_people (
	question_id text not null references questions (id) on delete cascade,
	user_id text not null references users (id) on delete cascade,
	constraint question_people_pk primary key (question_id, user_id)
);

create index question_people_by_user on question_people (user_id);
