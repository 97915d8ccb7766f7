-- find: deadlines and reminders
select "account_id", "id", "due_at"
from "questions"
where "due_at" <= $1
order by "due_at"
limit $2 offset $3;

-- take: deadlines and reminders
select *
from "questions"
where ("id", "due_at") in (
	select "id", "due_at"
	from json_populate_recordset(null::"questions", $1::json)
)
order by "due_at";

-- find: callbacks
select "account_id", "api_key_id", "id", "callback_at"
from "questions"
where "callback_at" <= $1
order by "callback_at"
limit $2 offset $3;

-- take: callbacks
select *
from "questions"
where ("id", "callback_at") in (
	select "id", "callback_at"
	from json_populate_recordset(null::"questions", $1::json)
)
order by "callback_at";

-- find: repeating pushes
select "account_id", "id", "next_at"
from "repeats"
where "next_at" <= $1
	and ended_at is null
order by "next_at"
limit $2 offset $3;

-- take: repeating pushes
select *
from "repeats"
where ("id", "next_at") in (
	select "id", "next_at"
	from json_populate_recordset(null::"repeats", $1::json)
)
	and ended_at is null
order by "next_at";

-- find: snoozed pushes
select "account_id", "message_id", "user_id", "due_at"
from "snoozes"
where "due_at" <= $1
order by "due_at"
limit $2 offset $3;

-- take: snoozed pushes
delete from "snoozes"
where ("message_id", "user_id", "due_at") in (
	select "message_id", "user_id", "due_at"
	from json_populate_recordset(null::"snoozes", $1::json)
)
returning *;

-- find: sending quiet summaries
select "account_id", "device_id", "due_at"
from "quiet_summaries"
where "due_at" <= $1
order by "due_at"
limit $2 offset $3;

-- take: sending quiet summaries
delete from "quiet_summaries"
where ("device_id", "due_at") in (
	select "device_id", "due_at"
	from json_populate_recordset(null::"quiet_summaries", $1::json)
)
returning *;

-- find: expiring waiting taps
select "account_id", "trigger_id", "number", "created_at"
from "trigger_taps"
where "created_at" <= $1
order by "created_at"
limit $2 offset $3;

-- take: expiring waiting taps
delete from "trigger_taps"
where ("account_id", "trigger_id", "number", "created_at") in (
	select "account_id", "trigger_id", "number", "created_at"
	from json_populate_recordset(null::"trigger_taps", $1::json)
)
returning *;

-- find: expiring Live Activities
select "account_id", "id", "started_at"
from "activities"
where "started_at" <= $1
	and ended_at is null
order by "started_at"
limit $2 offset $3;

-- take: expiring Live Activities
select *
from "activities"
where ("id", "started_at") in (
	select "id", "started_at"
	from json_populate_recordset(null::"activities", $1::json)
)
	and ended_at is null
order by "started_at";

-- find: expiring pushes
select "account_id", "id", "expires_at"
from "messages"
where "expires_at" <= $1
order by "expires_at"
limit $2 offset $3;

-- take: expiring pushes
select *
from "messages"
where ("id", "expires_at") in (
	select "id", "expires_at"
	from json_populate_recordset(null::"messages", $1::json)
)
order by "expires_at";

-- find: reloading widgets
select "account_id", "device_id", "next_attempt_at"
from "widget_reloads"
where "next_attempt_at" <= $1
	and changed > 0
	and exists (
		select 1
		from devices
		where devices.id = widget_reloads.device_id
			and devices.status = 'active'
	)
order by "next_attempt_at"
limit $2 offset $3;

-- take: reloading widgets
select *
from "widget_reloads"
where ("device_id", "next_attempt_at") in (
	select "device_id", "next_attempt_at"
	from json_populate_recordset(null::"widget_reloads", $1::json)
)
	and changed > 0
	and exists (
		select 1
		from devices
		where devices.id = widget_reloads.device_id
			and devices.status = 'active'
	)
order by "next_attempt_at";

-- scheduleNext
update "repeats"
set "times_left" = "times_left" - $1, "next_at" = every_ms + cast($2 as bigint), "ended_at" = case when times_left <= 1 then cast($3 as bigint) end, "end_reason" = case when times_left <= 1 then 'finished' end
where "ended_at" is null
	and "id" in ($4);

-- sentMessages
select "messages"."id", "messages"."account_id", "messages"."history_id", "messages"."kind", "messages"."content_json", "messages"."lane", "messages"."created_at", "messages"."expires_at", "api_keys"."revoked_at", case when api_keys.scope = 'channels' then (
	select coalesce(string_agg(channels.slug, ' '
	order by channels.slug), '')
	from api_key_channels
	inner join channels on channels.id = api_key_channels.channel_id
	where api_key_channels.api_key_id = api_keys.id
) end as "slugs", "history"."channels_json", "questions"."terms_json", "questions"."escalated_json"
from "messages"
inner join "history" on "history"."id" = "messages"."history_id"
left join "questions" on "questions"."id" = "messages"."history_id"
left join "api_keys" on "api_keys"."id" = "history"."api_key_id"
where "messages"."id" in ($1)
order by "messages"."id";

-- listReceivers
select distinct "deliveries"."message_id", "devices"."id", "devices"."user_id", "user_id", "platform", "push_token", "push_to_start_token", "push_environment", "push_subscription_json", "badge", "quiet_json", "failed_at", "app_json"
from "deliveries"
inner join "devices" on "devices"."id" = "deliveries"."device_id"
where "deliveries"."message_id" in ($1)
	and "devices"."status" = $2
order by "devices"."id";

-- retireDeliveries
update "deliveries"
set "dismissed_at" = $1
where "message_id" in ($2)
	and "device_id" = any(array(
		select value::text
		from jsonb_array_elements_text($3::jsonb) as value
	))
	and "dismissed_at" is null;

-- retireDeliveries
update "deliveries"
set "state" = $1, "leased_until" = $2
where "message_id" in ($3)
	and "device_id" = any(array(
		select value::text
		from jsonb_array_elements_text($4::jsonb) as value
	))
	and "state" = $5
	and ("leased_until" is null
	or "leased_until" <= $6);

-- markReloaded
update "widget_reloads"
set "changed" = "changed" - $1, "next_attempt_at" = $2, "attempts" = $3
where "device_id" = $4;

-- updateReload
update "widget_reloads"
set "next_attempt_at" = $1
where "device_id" = $2;
