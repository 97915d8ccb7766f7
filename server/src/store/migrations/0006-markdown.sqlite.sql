-- Written by `npm run sql -w server` from src/store/tables/.
create table markdown_keys (
	api_key_id text primary key references api_keys (id) on delete cascade
);
