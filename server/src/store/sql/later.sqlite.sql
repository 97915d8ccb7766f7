-- +? is a parameter that does not make SQLite plan the statement anew: engine/sqlite/database.ts, SqliteWithStablePlans.

-- find: deadlines and reminders
select "account_id", "id", "due_at"
from "questions"
where "due_at" <= +?
order by "due_at"
limit +? offset +?;

-- take: deadlines and reminders
select *
from "questions"
where ("id", "due_at") in (
	select value->>0 as "id", value->>1 as "due_at"
	from jsonb_each(+?)
)
order by "due_at";

-- find: callbacks
select "account_id", "api_key_id", "id", "callback_at"
from "questions"
where "callback_at" <= +?
order by "callback_at"
limit +? offset +?;

-- take: callbacks
select *
from "questions"
where ("id", "callback_at") in (
	select value->>0 as "id", value->>1 as "callback_at"
	from jsonb_each(+?)
)
order by "callback_at";

-- find: repeating pushes
select "account_id", "id", "next_at"
from "repeats"
where "next_at" <= +?
	and ended_at is null
order by "next_at"
limit +? offset +?;

-- take: repeating pushes
select *
from "repeats"
where ("id", "next_at") in (
	select value->>0 as "id", value->>1 as "next_at"
	from jsonb_each(+?)
)
	and ended_at is null
order by "next_at";

-- find: snoozed pushes
select "account_id", "message_id", "user_id", "due_at"
from "snoozes"
where "due_at" <= +?
order by "due_at"
limit +? offset +?;

-- take: snoozed pushes
delete from "snoozes"
where ("message_id", "user_id", "due_at") in (
	select value->>0 as "message_id", value->>1 as "user_id", value->>2 as "due_at"
	from jsonb_each(+?)
)
returning *;

-- find: sending quiet summaries
select "account_id", "device_id", "due_at"
from "quiet_summaries"
where "due_at" <= +?
order by "due_at"
limit +? offset +?;

-- take: sending quiet summaries
delete from "quiet_summaries"
where ("device_id", "due_at") in (
	select value->>0 as "device_id", value->>1 as "due_at"
	from jsonb_each(+?)
)
returning *;

-- find: expiring waiting taps
select "account_id", "trigger_id", "number", "created_at"
from "trigger_taps"
where "created_at" <= +?
order by "created_at"
limit +? offset +?;

-- take: expiring waiting taps
delete from "trigger_taps"
where ("account_id", "trigger_id", "number", "created_at") in (
	select value->>0 as "account_id", value->>1 as "trigger_id", value->>2 as "number", value->>3 as "created_at"
	from jsonb_each(+?)
)
returning *;

-- find: expiring Live Activities
select "account_id", "id", "started_at"
from "activities"
where "started_at" <= +?
	and ended_at is null
order by "started_at"
limit +? offset +?;

-- take: expiring Live Activities
select *
from "activities"
where ("id", "started_at") in (
	select value->>0 as "id", value->>1 as "started_at"
	from jsonb_each(+?)
)
	and ended_at is null
order by "started_at";

-- find: expiring pushes
select "account_id", "id", "expires_at"
from "messages"
where "expires_at" <= +?
order by "expires_at"
limit +? offset +?;

-- take: expiring pushes
select *
from "messages"
where ("id", "expires_at") in (
	select value->>0 as "id", value->>1 as "expires_at"
	from jsonb_each(+?)
)
order by "expires_at";

-- find: reloading widgets
select "account_id", "device_id", "next_attempt_at"
from "widget_reloads"
where "next_attempt_at" <= +?
	and changed > 0
	and exists (
		select 1
		from devices
		where devices.id = widget_reloads.device_id
			and devices.status = 'active'
	)
order by "next_attempt_at"
limit +? offset +?;

-- take: reloading widgets
select *
from "widget_reloads"
where ("device_id", "next_attempt_at") in (
	select value->>0 as "device_id", value->>1 as "next_attempt_at"
	from jsonb_each(+?)
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
set "times_left" = "times_left" - +?, "next_at" = every_ms + cast(+? as bigint), "ended_at" = case when times_left <= 1 then cast(+? as bigint) end, "end_reason" = case when times_left <= 1 then 'finished' end
where "ended_at" is null
	and "id" in (+?);

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
where "messages"."id" in (+?)
order by "messages"."id";

-- listReceivers
select distinct "deliveries"."message_id", "devices"."id", "devices"."user_id", "user_id", "platform", "push_token", "push_to_start_token", "push_environment", "push_subscription_json", "badge", "quiet_json", "failed_at", "app_json"
from "deliveries"
inner join "devices" on "devices"."id" = "deliveries"."device_id"
where "deliveries"."message_id" in (+?)
	and "devices"."status" = +?
order by "devices"."id";

-- retireDeliveries
update "deliveries"
set "dismissed_at" = +?
where "message_id" in (+?)
	and "device_id" in (
		select value
		from json_each(+?)
	)
	and "dismissed_at" is null;

-- retireDeliveries
update "deliveries"
set "state" = +?, "leased_until" = +?
where "message_id" in (+?)
	and "device_id" in (
		select value
		from json_each(+?)
	)
	and "state" = +?
	and ("leased_until" is null
	or "leased_until" <= +?);

-- markReloaded
update "widget_reloads"
set "changed" = "changed" - +?, "next_attempt_at" = +?, "attempts" = +?
where "device_id" = +?;

-- updateReload
update "widget_reloads"
set "next_attempt_at" = +?
where "device_id" = +?;
