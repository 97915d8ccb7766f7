-- Written by `npm run sql -w server` from src/store/tables/.
alter table accounts add column time_zone text;
