-- Written by `npm run sql -w server` from src/store/tables/.
alter table devices add column failure text;

alter table devices add column failed_at bigint;

alter table history add column request_id text;

alter table deliveries add column failures text;

alter table idempotency_keys add column history_id text references history (id) on delete cascade;

create index idempotency_keys_by_history on idempotency_keys (history_id);
