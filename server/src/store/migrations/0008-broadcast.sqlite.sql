-- Written by `npm run sql -w server` from src/store/tables/.
alter table devices add column app_json text;

create table broadcast_channels (
	activity_id text not null,
	environment text not null,
	channel_id text not null,
	created_at bigint not null,
	constraint broadcast_channels_pk primary key (activity_id, environment)
);
