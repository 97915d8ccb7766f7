-- Written by `npm run sql -w server` from src/store/tables/.
alter table history add column idempotency_key text;

alter table history add column kept_json text;

create index history_by_key on history (idempotency_key) where idempotency_key is not null;
