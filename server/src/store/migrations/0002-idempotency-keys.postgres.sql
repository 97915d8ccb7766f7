-- Written by `npm run sql -w server` from src/store/tables/.
create table idempotency_keys (
	hash text primary key,
	request_hash text not null,
	answer_json text not null,
	created_at bigint not null
);

create index idempotency_keys_by_time on idempotency_keys (created_at);
