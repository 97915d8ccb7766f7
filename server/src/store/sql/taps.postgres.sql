-- tapOfDevice
select *
from "taps"
where "device_id" = $1
	and "id" = $2;

-- pushOfDelivery
select "deliveries"."message_id", "messages"."history_id", "messages"."content_json", "messages"."actions_json", "history"."channels_json"
from "deliveries"
inner join "messages" on "messages"."id" = "deliveries"."message_id"
inner join "history" on "history"."id" = "messages"."history_id"
where "deliveries"."device_id" = $1
	and "deliveries"."id" = $2
	and "messages"."kind" = $3;

-- activityDevice
select *
from "activity_devices"
where "activity_id" = $1
	and "device_id" = $2;

-- channelsReaching
select "channel_devices"."device_id", "channels"."slug"
from "channel_devices"
inner join "channels" on "channels"."id" = "channel_devices"."channel_id"
where "channel_devices"."device_id" = any(array(
	select value::text
	from jsonb_array_elements_text($1::jsonb) as value
))
union
select "devices"."id" as "device_id", "channels"."slug"
from "devices"
inner join "channel_users" on "channel_users"."user_id" = "devices"."user_id"
inner join "channels" on "channels"."id" = "channel_users"."channel_id"
where "devices"."id" = any(array(
	select value::text
	from jsonb_array_elements_text($2::jsonb) as value
));

-- tapsWithoutOutcome
select "device_id", "id"
from "taps"
where "history_id" = $1
	and "outcome_json" is null;

-- recordTap
insert into "taps" ("device_id", "id", "history_id", "user_name", "device_name", "button", "outcome_json", "created_at")
values ($1, $2, $3, $4, $5, $6, $7, $8);

-- repeatingPushes
select "repeats"."message_id", "history"."channels_json"
from "repeats"
inner join "messages" on "messages"."id" = "repeats"."message_id"
inner join "history" on "history"."id" = "messages"."history_id"
where "repeats"."ended_at" is null
	and "repeats"."message_id" in (
		select "deliveries"."message_id"
		from "deliveries"
		where "deliveries"."device_id" = $1
			and "deliveries"."id" = any(array(
				select value::bigint
				from jsonb_array_elements_text($2::jsonb) as value
			))
	);

-- updateTap
update "taps"
set "outcome_json" = $1
where "device_id" = $2
	and "id" = $3;

-- updateMessage
update "messages"
set "content_json" = $1
where "id" = $2;

-- phonesShowing
select "deliveries"."id" as "delivery_id", "deliveries"."muted", "deliveries"."held", "devices"."id", "devices"."user_id", "user_id", "platform", "push_token", "push_to_start_token", "push_environment", "push_subscription_json", "badge", "quiet_json", "failed_at", "app_json"
from "deliveries"
inner join "devices" on "devices"."id" = "deliveries"."device_id"
where "deliveries"."message_id" = $1
	and "deliveries"."state" != $2
	and "deliveries"."dismissed_at" is null
	and "devices"."status" = $3;

-- linkToPush
update "deliveries"
set "push_delivery_id" = (
	select max("push"."id") as "id"
	from "deliveries" as "push"
	where "push"."message_id" = $1
		and "push"."device_id" = "deliveries"."device_id"
)
where "message_id" = $2;
