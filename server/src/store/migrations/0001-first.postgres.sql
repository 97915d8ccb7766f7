-- Written by `npm run sql -w server` from src/store/tables/.
create table accounts (
	id text primary key,
	name text not null unique,
	owner_email text not null,
	plan text not null,
	trial_started_at bigint,
	trial_ends_at bigint,
	quota integer,
	overage_cap integer,
	created_at bigint not null
);

create table usage (
	account_id text not null references accounts (id) on delete cascade,
	period text not null,
	sends integer not null,
	constraint usage_pk primary key (account_id, period)
);

create table request_counts (
	account_id text not null references accounts (id) on delete cascade,
	hour bigint not null,
	feature text not null,
	status integer not null,
	requests integer not null,
	constraint request_counts_pk primary key (account_id, hour, feature, status)
);

create table users (
	id text primary key,
	account_id text not null references accounts (id) on delete cascade,
	name text not null,
	email text,
	preferences_json text,
	created_at bigint not null,
	removed_at bigint,
	constraint users_name unique (account_id, name)
);

create table api_keys (
	id text primary key,
	account_id text not null references accounts (id) on delete cascade,
	kind text not null,
	name text not null,
	hash text not null unique,
	last_four text not null,
	scope text not null,
	created_at bigint not null,
	last_used_at bigint,
	revoked_at bigint,
	accepted_at bigint,
	refused_at bigint,
	refusal text
);

create index api_keys_by_account on api_keys (account_id);

create table markdown_keys (
	api_key_id text primary key references api_keys (id) on delete cascade
);

create table devices (
	id text primary key,
	account_id text not null references accounts (id) on delete cascade,
	user_id text not null references users (id) on delete cascade,
	name text not null,
	platform text not null,
	token_hash text not null unique,
	status text not null,
	push_token text,
	push_to_start_token text,
	push_environment text not null default 'production',
	push_subscription_json text,
	push_registered_at bigint,
	badge integer not null default 0,
	quiet_json text,
	paired_at bigint not null,
	last_seen_at bigint not null,
	removed_at bigint,
	failure text,
	failed_at bigint,
	app_json text
);

create index devices_by_account on devices (account_id, status);

create index devices_by_user on devices (user_id);

create index devices_by_push_token on devices (push_token) where push_token is not null;

create index devices_by_push_to_start_token on devices (push_to_start_token) where push_to_start_token is not null;

create index devices_by_push_subscription_json on devices (push_subscription_json) where push_subscription_json is not null;

create table channels (
	id text primary key,
	account_id text not null references accounts (id) on delete cascade,
	slug text not null,
	name text not null,
	created_at bigint not null,
	constraint channels_slug unique (account_id, slug)
);

create table channel_users (
	channel_id text not null references channels (id) on delete cascade,
	user_id text not null references users (id) on delete cascade,
	constraint channel_users_pk primary key (channel_id, user_id)
);

create index channel_users_by_user on channel_users (user_id);

create table channel_devices (
	channel_id text not null references channels (id) on delete cascade,
	device_id text not null references devices (id) on delete cascade,
	constraint channel_devices_pk primary key (channel_id, device_id)
);

create index channel_devices_by_device on channel_devices (device_id);

create table api_key_channels (
	api_key_id text not null references api_keys (id) on delete cascade,
	channel_id text not null references channels (id) on delete cascade,
	constraint api_key_channels_pk primary key (api_key_id, channel_id)
);

create table muted_channels (
	channel_id text not null references channels (id) on delete cascade,
	device_id text not null references devices (id) on delete cascade,
	constraint muted_channels_pk primary key (channel_id, device_id)
);

create index muted_channels_by_device on muted_channels (device_id);

create table history (
	id text primary key,
	account_id text not null references accounts (id) on delete cascade,
	api_key_id text references api_keys (id) on delete set null,
	kind text not null,
	title text not null,
	channels_json text,
	tags_json text,
	metadata_json text,
	created_at bigint not null,
	ended_at bigint,
	request_id text,
	idempotency_key text,
	kept_json text
);

create index history_by_time on history (account_id, created_at);

create index history_by_key on history (idempotency_key) where idempotency_key is not null;

create table history_tags (
	history_id text not null references history (id) on delete cascade,
	tag text not null,
	constraint history_tags_pk primary key (tag, history_id)
);

create index history_tags_by_entry on history_tags (history_id);

create table activities (
	id text primary key references history (id) on delete cascade,
	account_id text not null,
	stream_key text,
	state_json text not null,
	actions_json text not null,
	channels_json text,
	started_at bigint not null,
	updated_at bigint not null,
	ended_at bigint,
	end_reason text,
	dismiss_at bigint
);

create index activities_running on activities (account_id, ended_at, started_at);

create index activities_outlived on activities (started_at) where ended_at is null;

create table streams (
	account_id text not null references accounts (id) on delete cascade,
	stream_key text not null,
	activity_id text references activities (id) on delete set null,
	state_json text,
	actions_json text,
	tags_json text,
	channels_json text,
	paused_at bigint,
	updated_at bigint not null,
	constraint streams_pk primary key (account_id, stream_key)
);

create index streams_by_activity on streams (activity_id);

create index streams_quiet on streams (updated_at) where coalesce(activity_id, '') = '' and paused_at is null;

create table images (
	path_hash text primary key,
	account_id text not null references accounts (id) on delete cascade,
	history_id text references history (id) on delete cascade,
	type text not null,
	bytes bytea not null,
	size integer not null,
	created_at bigint not null
);

create index images_by_account on images (account_id, size);

create index images_by_history on images (history_id);

create index images_unused on images (created_at) where history_id is null;

create table taps (
	device_id text not null,
	id text not null,
	history_id text not null references history (id) on delete cascade,
	user_name text not null,
	device_name text not null,
	button text not null,
	outcome_json text,
	created_at bigint not null,
	constraint taps_pk primary key (device_id, id)
);

create index taps_by_history on taps (history_id, created_at);

create table messages (
	id bigint primary key generated by default as identity,
	account_id text not null,
	history_id text not null references history (id) on delete cascade,
	kind text not null,
	content_json text not null,
	actions_json text,
	lane text,
	created_at bigint not null
);

create index messages_by_history on messages (history_id);

create table deliveries (
	id bigint primary key generated by default as identity,
	message_id bigint not null references messages (id) on delete cascade,
	device_id text not null references devices (id) on delete cascade,
	lane text,
	replaceable integer not null default 0,
	muted integer not null default 0,
	held integer not null default 0,
	push_delivery_id bigint,
	state text not null,
	attempts integer not null default 0,
	next_attempt_at bigint not null,
	leased_until bigint,
	last_error text,
	handed_over_at bigint,
	acknowledged_at bigint,
	dismissed_at bigint,
	failures text
);

create index deliveries_of_message on deliveries (message_id, device_id);

create index deliveries_due on deliveries (next_attempt_at) where state = 'pending';

create index deliveries_in_lane on deliveries (device_id, lane, id) where state = 'pending' and lane is not null;

create index deliveries_shown on deliveries (device_id, id) where lane is null and dismissed_at is null and muted = 0;

create index deliveries_not_shown on deliveries (device_id, id) where lane is not null or dismissed_at is not null or muted <> 0;

create table activity_devices (
	activity_id text not null references activities (id) on delete cascade,
	device_id text not null references devices (id) on delete cascade,
	token text,
	queued_message_id bigint references messages (id) on delete set null,
	dismissed_at bigint,
	constraint activity_devices_pk primary key (activity_id, device_id)
);

create index activity_devices_by_device on activity_devices (device_id);

create index activity_devices_queued on activity_devices (queued_message_id) where queued_message_id is not null;

create table broadcast_channels (
	activity_id text not null,
	environment text not null,
	channel_id text not null,
	created_at bigint not null,
	constraint broadcast_channels_pk primary key (activity_id, environment)
);

create table widget_reloads (
	device_id text primary key references devices (id) on delete cascade,
	account_id text not null references accounts (id) on delete cascade,
	token text not null,
	changed integer not null default 0,
	next_attempt_at bigint not null default 0,
	attempts integer not null default 0
);

create index widget_reloads_by_account on widget_reloads (account_id);

create index widget_reloads_due on widget_reloads (next_attempt_at) where changed > 0;

create table quiet_summaries (
	device_id text primary key references devices (id) on delete cascade,
	account_id text not null references accounts (id) on delete cascade,
	first_delivery_id bigint not null,
	due_at bigint not null
);

create index quiet_summaries_due on quiet_summaries (due_at);

create index quiet_summaries_by_account on quiet_summaries (account_id);

create table repeats (
	id text primary key,
	account_id text not null references accounts (id) on delete cascade,
	message_id bigint not null references messages (id) on delete cascade,
	every_ms integer not null,
	times_left integer not null,
	next_at bigint not null,
	ended_at bigint,
	end_reason text
);

create index repeats_by_message on repeats (message_id);

create index repeats_by_account on repeats (account_id);

create index repeats_due on repeats (next_at) where ended_at is null;

create table snoozes (
	message_id bigint not null references messages (id) on delete cascade,
	user_id text not null references users (id) on delete cascade,
	account_id text not null references accounts (id) on delete cascade,
	due_at bigint not null,
	created_at bigint not null,
	constraint snoozes_pk primary key (message_id, user_id)
);

create index snoozes_due on snoozes (due_at);

create index snoozes_by_user on snoozes (user_id);

create index snoozes_by_account on snoozes (account_id);

create table push_sequences (
	hash text primary key,
	message_id bigint not null references messages (id) on delete cascade
);

create index push_sequences_by_message on push_sequences (message_id);

create table server_keys (
	name text primary key,
	value_json text not null
);

create table readiness (
	id integer primary key,
	content text not null
);

create table questions (
	id text primary key references history (id) on delete cascade,
	account_id text not null references accounts (id) on delete cascade,
	api_key_id text,
	message_id bigint not null references messages (id) on delete cascade,
	terms_json text not null,
	status text not null,
	is_restricted integer not null,
	created_at bigint not null,
	deadline_at bigint not null,
	remind_at bigint,
	reminders_left integer not null,
	escalate_at bigint,
	escalated_json text,
	due_at bigint,
	answer_json text,
	ended_at bigint,
	callback text not null,
	callback_tries integer not null default 0,
	callback_at bigint
);

create index questions_by_account on questions (account_id, id);

create index questions_open on questions (account_id, id) where ended_at is null;

create index questions_ended on questions (account_id, ended_at) where ended_at is not null;

create index questions_by_message on questions (message_id);

create index questions_due on questions (due_at) where due_at is not null;

create index questions_to_tell on questions (callback_at) where callback_at is not null;

create table question_people (
	question_id text not null references questions (id) on delete cascade,
	user_id text not null references users (id) on delete cascade,
	constraint question_people_pk primary key (question_id, user_id)
);

create index question_people_by_user on question_people (user_id);

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

create table metrics (
	account_id text not null references accounts (id) on delete cascade,
	key text not null,
	name text not null,
	format text not null,
	unit text,
	value_json text,
	measured_at bigint,
	created_at bigint not null,
	constraint metrics_pk primary key (account_id, key)
);

create table metric_values (
	id bigint primary key generated by default as identity,
	account_id text not null,
	metric_key text not null,
	value_json text not null,
	measured_at bigint not null,
	constraint metric_values_metric foreign key (account_id, metric_key) references metrics (account_id, key) on delete cascade
);

create index metric_values_by_metric on metric_values (account_id, metric_key, id);

create table members (
	id text primary key,
	account_id text not null references accounts (id) on delete cascade,
	user_id text references users (id) on delete set null,
	name text not null,
	email text not null unique,
	role text not null,
	password_hash text not null,
	created_at bigint not null,
	last_login_at bigint
);

create index members_by_account on members (account_id);

create table sessions (
	token_hash text primary key,
	member_id text not null references members (id) on delete cascade,
	created_at bigint not null,
	last_used_at bigint not null,
	expires_at bigint not null
);

create index sessions_by_member on sessions (member_id);

create table session_clients (
	token_hash text primary key,
	address text not null,
	browser text not null,
	constraint session_clients_session foreign key (token_hash) references sessions (token_hash) on delete cascade
);

create table join_links (
	id text primary key,
	token_hash text not null unique,
	account_id text references accounts (id) on delete cascade,
	member_id text references members (id) on delete cascade,
	purpose text not null,
	role text not null,
	email text,
	created_by text references members (id) on delete cascade,
	created_at bigint not null,
	expires_at bigint not null
);

create table pair_codes (
	code_hash text primary key,
	account_id text not null references accounts (id) on delete cascade,
	user_id text not null references users (id) on delete cascade,
	device_id text,
	created_by text references members (id) on delete cascade,
	expires_at bigint not null,
	created_at bigint not null
);

create table audit_log (
	id bigint primary key generated by default as identity,
	account_id text not null references accounts (id) on delete cascade,
	at bigint not null,
	event text not null,
	actor text not null,
	actor_name text,
	subject text,
	address text,
	times integer not null default 1
);

create index audit_log_by_account on audit_log (account_id, id);

-- Written by hand:

-- Rate-limit windows of all processes that share a PostgreSQL database; the single process of an embedded
-- store keeps them in memory. UNLOGGED: they are lost if the database crashes, and need no sync.
-- Half-empty pages allow a count to be updated in place.
create unlogged table rate_windows (
	key text primary key,
	opened_at bigint not null,
	ends_at bigint not null,
	used integer not null
) with (fillfactor = 50);

create index rate_windows_by_end on rate_windows (ends_at);

-- Counts many requests at once, each key once with its number of requests: all of them or, if a limit is
-- too small for all, none. `fits` is reported for each key. Rows are locked in the order of their keys, so two
-- calls cannot deadlock: `account:` before `public-api-ip:`, so an address that many share is locked last, for
-- the shortest time. `ends_at` is for the sweep only: a window opened under another setting ends as the present
-- one says.
create function count_rate_windows(
	keys text[], requests integer[], quotas integer[], window_ms bigint, now_ms bigint
) returns table (fits boolean, used integer, opened_at bigint) language plpgsql as $$
#variable_conflict use_column
declare
	fit boolean[];
	counts integer[];
	times bigint[];
begin
	begin
		with counted as (
			insert into rate_windows as open (key, opened_at, ends_at, used)
			select key, now_ms, now_ms + window_ms, more
			from unnest(keys, requests) as asked(key, more) order by key
			on conflict (key) do update set
				used = case when open.opened_at + window_ms > now_ms then open.used else 0 end + excluded.used,
				opened_at = case when open.opened_at + window_ms > now_ms then open.opened_at else now_ms end,
				ends_at = case when open.opened_at + window_ms > now_ms
					then open.ends_at else now_ms + window_ms end
			returning open.key, open.used, open.opened_at
		)
		select array_agg(counted.used <= quota order by place),
			array_agg(counted.used order by place), array_agg(counted.opened_at order by place)
		into fit, counts, times
		from unnest(keys, quotas) with ordinality as asked(key, quota, place)
		join counted using (key);
		if not (true = all (fit)) then
			raise exception using errcode = 'BK001', message = 'exhausted';
		end if;
	exception when sqlstate 'BK001' then
	end;
	return query select * from unnest(fit, counts, times);
end
$$;
