-- Written by `npm run sql -w server` from src/store/tables/.
create table snoozes (
	message_id bigint not null references messages (id) on delete cascade,
	user_id text not null references users (id) on delete cascade,
	account_id text not null references accounts (id) on delete cascade,
	due_at bigint not null,
	created_at bigint not null,
	constraint snoozes_pk primary key (message_id, user_id)
);

create index snoozes_due on snoozes (due_at);

create index snoozes_by_user on snoozes (user_id);

create index snoozes_by_account on snoozes (account_id);
