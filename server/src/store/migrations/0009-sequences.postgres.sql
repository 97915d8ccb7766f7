-- Written by `npm run sql -w server` from src/store/tables/.
create table push_sequences (
	hash text primary key,
	message_id bigint not null references messages (id) on delete cascade
);

create index push_sequences_by_message on push_sequences (message_id);
