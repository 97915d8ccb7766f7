-- Written by `npm run sql -w server` from src/store/tables/.
create table session_clients (
	token_hash text primary key,
	address text not null,
	browser text not null,
	constraint session_clients_session foreign key (token_hash) references sessions (token_hash) on delete cascade
);
