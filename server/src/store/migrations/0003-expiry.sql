-- Written by `npm run sql -w server` from src/store/tables/.
alter table messages add column expires_at bigint;

create index messages_expiring on messages (expires_at) where expires_at is not null;
