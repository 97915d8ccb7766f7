-- Written by `npm run sql -w server` from src/store/tables/.
create table triggers (
	account_id text not null references accounts (id) on delete cascade,
	id text not null,
	api_key_id text references api_keys (id) on delete set null,
	name text not null,
	session text,
	listens_until bigint not null,
	tested_until bigint not null,
	taps integer not null,
	registered_at bigint not null,
	constraint triggers_pk primary key (account_id, id)
);

create table trigger_taps (
	account_id text not null,
	trigger_id text not null,
	number integer not null,
	tap_id text not null,
	device_id text not null,
	report_json text not null,
	tap_json text not null,
	is_waiting integer not null,
	is_done integer not null,
	created_at bigint not null,
	constraint trigger_taps_pk primary key (account_id, trigger_id, number),
	constraint trigger_taps_trigger foreign key (account_id, trigger_id) references triggers (account_id, id) on delete cascade
);

create index trigger_taps_by_time on trigger_taps (created_at);
