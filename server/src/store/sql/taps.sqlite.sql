-- +? is a parameter that does not make SQLite plan the statement anew: engine/sqlite/database.ts, SqliteWithStablePlans.

-- tapOfDevice
select *
from "taps"
where "device_id" = +?
	and "id" = +?;

-- pushOfDelivery
select "deliveries"."message_id", "messages"."history_id", "messages"."content_json", "messages"."actions_json", "history"."channels_json"
from "deliveries"
inner join "messages" on "messages"."id" = "deliveries"."message_id"
inner join "history" on "history"."id" = "messages"."history_id"
where "deliveries"."device_id" = +?
	and "deliveries"."id" = +?
	and "messages"."kind" = +?;

-- activityDevice
select *
from "activity_devices"
where "activity_id" = +?
	and "device_id" = +?;

-- channelsReaching
select "channel_devices"."device_id", "channels"."slug"
from "channel_devices"
inner join "channels" on "channels"."id" = "channel_devices"."channel_id"
where "channel_devices"."device_id" in (
	select value
	from json_each(+?)
)
union
select "devices"."id" as "device_id", "channels"."slug"
from "devices"
inner join "channel_users" on "channel_users"."user_id" = "devices"."user_id"
inner join "channels" on "channels"."id" = "channel_users"."channel_id"
where "devices"."id" in (
	select value
	from json_each(+?)
);

-- tapsWithoutOutcome
select "device_id", "id"
from "taps"
where "history_id" = +?
	and "outcome_json" is null;

-- recordTap
insert into "taps" ("device_id", "id", "history_id", "user_name", "device_name", "button", "outcome_json", "created_at")
values (+?, +?, +?, +?, +?, +?, +?, +?);

-- repeatingPushes
select "repeats"."message_id", "history"."channels_json"
from "repeats"
inner join "messages" on "messages"."id" = "repeats"."message_id"
inner join "history" on "history"."id" = "messages"."history_id"
where "repeats"."ended_at" is null
	and "repeats"."message_id" in (
		select "deliveries"."message_id"
		from "deliveries"
		where "deliveries"."device_id" = +?
			and "deliveries"."id" in (
				select value
				from json_each(+?)
			)
	);

-- updateTap
update "taps"
set "outcome_json" = +?
where "device_id" = +?
	and "id" = +?;

-- updateMessage
update "messages"
set "content_json" = +?
where "id" = +?;

-- phonesShowing
select "deliveries"."id" as "delivery_id", "deliveries"."muted", "deliveries"."held", "devices"."id", "devices"."user_id", "user_id", "platform", "push_token", "push_to_start_token", "push_environment", "push_subscription_json", "badge", "quiet_json", "failed_at", "app_json"
from "deliveries"
inner join "devices" on "devices"."id" = "deliveries"."device_id"
where "deliveries"."message_id" = +?
	and "deliveries"."state" != +?
	and "deliveries"."dismissed_at" is null
	and "devices"."status" = +?;

-- linkToPush
update "deliveries"
set "push_delivery_id" = (
	select max("push"."id") as "id"
	from "deliveries" as "push"
	where "push"."message_id" = +?
		and "push"."device_id" = "deliveries"."device_id"
)
where "message_id" = +?;
