-- nextDueAt
select "deliveries"."next_attempt_at"
from "deliveries"
where "deliveries"."state" = 'pending'
	and not exists (
		select "earlier"."id"
		from "deliveries" as "earlier"
		where "earlier"."device_id" = "deliveries"."device_id"
			and "earlier"."lane" = "deliveries"."lane"
			and "earlier"."id" < "deliveries"."id"
			and "earlier"."state" = 'pending'
	)
order by "deliveries"."next_attempt_at"
limit $1;

-- claimDue
update "deliveries"
set "leased_until" = $1, "next_attempt_at" = $2
where "id" in (
	select "deliveries"."id"
	from "deliveries"
	where "deliveries"."state" = 'pending'
		and not exists (
			select "earlier"."id"
			from "deliveries" as "earlier"
			where "earlier"."device_id" = "deliveries"."device_id"
				and "earlier"."lane" = "deliveries"."lane"
				and "earlier"."id" < "deliveries"."id"
				and "earlier"."state" = 'pending'
		)
		and "deliveries"."next_attempt_at" <= $3
	order by "deliveries"."next_attempt_at", "deliveries"."id"
	limit $4
	for update skip locked
)
	and "state" = 'pending'
	and "next_attempt_at" <= $5
returning "id";

-- claimDue
select "messages"."id", "messages"."account_id", "messages"."history_id", "messages"."kind", "messages"."content_json", "messages"."lane", "messages"."created_at", "messages"."expires_at", "deliveries"."id" as "delivery_id", "deliveries"."attempts", "deliveries"."muted", "deliveries"."held", "deliveries"."push_delivery_id", "devices"."id" as "device_id", "user_id", "platform", "push_token", "push_to_start_token", "push_environment", "push_subscription_json", "badge", "quiet_json", "failed_at", "app_json", "activity_devices"."token"
from "deliveries"
inner join "messages" on "messages"."id" = "deliveries"."message_id"
inner join "devices" on "devices"."id" = "deliveries"."device_id"
left join "activity_devices" on "activity_devices"."activity_id" = "messages"."history_id"
	and "activity_devices"."device_id" = "deliveries"."device_id"
where "deliveries"."id" in ($1)
	and ("expires_at" is null
	or "expires_at" > $2)
order by "deliveries"."id";

-- claimDueOfOthers
update "deliveries"
set "leased_until" = $1, "next_attempt_at" = $2
where "id" in (
	select "deliveries"."id"
	from "deliveries"
	where "deliveries"."state" = 'pending'
		and not exists (
			select "earlier"."id"
			from "deliveries" as "earlier"
			where "earlier"."device_id" = "deliveries"."device_id"
				and "earlier"."lane" = "deliveries"."lane"
				and "earlier"."id" < "deliveries"."id"
				and "earlier"."state" = 'pending'
		)
		and "deliveries"."next_attempt_at" <= $3
		and (
			select "account_id"
			from "messages"
			where "messages"."id" = "deliveries"."message_id"
		) not in ($4)
	order by "deliveries"."next_attempt_at", "deliveries"."id"
	limit $5
	for update skip locked
)
	and "state" = 'pending'
	and "next_attempt_at" <= $6
returning "id";

-- claimDueOfOthers
select "messages"."id", "messages"."account_id", "messages"."history_id", "messages"."kind", "messages"."content_json", "messages"."lane", "messages"."created_at", "messages"."expires_at", "deliveries"."id" as "delivery_id", "deliveries"."attempts", "deliveries"."muted", "deliveries"."held", "deliveries"."push_delivery_id", "devices"."id" as "device_id", "user_id", "platform", "push_token", "push_to_start_token", "push_environment", "push_subscription_json", "badge", "quiet_json", "failed_at", "app_json", "activity_devices"."token"
from "deliveries"
inner join "messages" on "messages"."id" = "deliveries"."message_id"
inner join "devices" on "devices"."id" = "deliveries"."device_id"
left join "activity_devices" on "activity_devices"."activity_id" = "messages"."history_id"
	and "activity_devices"."device_id" = "deliveries"."device_id"
where "deliveries"."id" in ($1)
	and ("expires_at" is null
	or "expires_at" > $2)
order by "deliveries"."id";

-- markHeld
update "deliveries"
set "held" = $1
where "id" in ($2);

-- markStored
update "deliveries"
set "last_error" = null, "state" = 'stored', "leased_until" = null
where "state" || '' in ('pending')
	and "id" = any(array(
		select value::bigint
		from jsonb_array_elements_text($1::jsonb) as value
	));

-- markHandedOver
update "deliveries"
set "handed_over_at" = $1, "last_error" = null, "state" = 'handed_over', "leased_until" = null
where "state" || '' in ('pending', 'stored', 'failed', 'expired', 'superseded')
	and "id" = any(array(
		select value::bigint
		from jsonb_array_elements_text($2::jsonb) as value
	));

-- recordFailures
update deliveries
set state = case when failure.state = 'pending'
	and deliveries.dismissed_at is not null
	and (deliveries.lane is null
	or deliveries.lane like 'question:%') then 'superseded' else failure.state end, attempts = failure.attempts, next_attempt_at = failure.next_attempt_at, last_error = failure.last_error, leased_until = null, failures = coalesce(deliveries.failures || ' ', '') || failure.failures
from (
	select "id", "state", "attempts", "next_attempt_at", "last_error", "failures"
	from json_populate_recordset(null::"deliveries", $1::json)
) as failure
where deliveries.id = failure.id
	and "deliveries"."state" || '' in ('pending');

-- recordFailures
update "deliveries"
set "state" = 'superseded', "leased_until" = null
where "state" || '' in ('pending')
	and "id" = any(array(
		select value::bigint
		from jsonb_array_elements_text($1::jsonb) as value
	))
	and "replaceable" = 1
	and (
		select "newer"."id"
		from "deliveries" as "newer"
		where "newer"."device_id" = "deliveries"."device_id"
			and "newer"."lane" = "deliveries"."lane"
			and "newer"."message_id" > "deliveries"."message_id"
			and "newer"."id" > "deliveries"."id"
			and "newer"."state" || '' in ('pending')
		limit 1
	) is not null;

-- expireDeliveriesOf
update "deliveries"
set "dismissed_at" = $1, "last_error" = null, "state" = 'expired', "leased_until" = null
where "state" || '' in ('pending', 'stored', 'handed_over')
	and "message_id" = any(array(
		select value::bigint
		from jsonb_array_elements_text($2::jsonb) as value
	))
	and ("state" != 'handed_over'
	or exists (
		select "devices"."id"
		from "devices"
		where "devices"."id" = "deliveries"."device_id"
			and "platform" = 'web'
	));

-- markFailed
update "deliveries"
set "last_error" = $1, "state" = $2, "leased_until" = $3
where "state" || '' in ('pending')
	and "id" = $4;

-- reschedule
update "deliveries"
set "next_attempt_at" = $1 + id % $2, "leased_until" = $3
where "id" = any(array(
	select value::bigint
	from jsonb_array_elements_text($4::jsonb) as value
))
	and "state" || '' in ('pending');

-- failPending
update "deliveries"
set "state" = 'failed', "last_error" = 'The phone was disconnected', "leased_until" = null
where "state" = 'pending'
	and "device_id" = any(array(
		select value::text
		from jsonb_array_elements_text($1::jsonb) as value
	));

-- queueForNextTokens
update activity_devices
set token = null, queued_message_id = case when activity_devices.queued_message_id > dead.queued_message_id then activity_devices.queued_message_id else dead.queued_message_id end
from (
	select "activity_id", "device_id", "token", "queued_message_id"
	from json_populate_recordset(null::"activity_devices", $1::json)
) as dead
where activity_devices.activity_id = dead.activity_id
	and activity_devices.device_id = dead.device_id
	and activity_devices.token is not distinct from dead.token
returning activity_devices.activity_id, activity_devices.device_id;

-- markGone
update devices
set status = 'disconnected'
from (
	select "id", "push_token", "push_registered_at"
	from json_populate_recordset(null::"devices", $1::json)
) as gone
where devices.id = gone.id
	and devices.push_token is not distinct from gone.push_token
	and coalesce(devices.push_registered_at <= gone.push_registered_at, true)
returning devices.id;

-- forgetPushToStartTokens
update devices
set push_to_start_token = null
from (
	select "id", "push_to_start_token"
	from json_populate_recordset(null::"devices", $1::json)
) as dead
where devices.id = dead.id
	and devices.push_to_start_token = dead.push_to_start_token;

-- measureBacklog
select count(*) as "pending", min("id") as "oldest"
from "deliveries"
where "state" = 'pending';

-- measureBacklog
select "messages"."created_at"
from "deliveries"
inner join "messages" on "messages"."id" = "deliveries"."message_id"
where "deliveries"."id" = $1;

-- measureTokenBacklog
select count(*) as "pending", min("messages"."created_at") as "oldest"
from "activity_devices"
inner join "messages" on "messages"."id" = "activity_devices"."queued_message_id"
where "activity_devices"."queued_message_id" is not null
	and "messages"."created_at" >= $1;

-- endRepeatsOfKey
update "repeats"
set "ended_at" = $1, "end_reason" = $2
where "ended_at" is null
	and "account_id" = $3
	and exists (
		select "history"."id"
		from "messages"
		inner join "history" on "history"."id" = "messages"."history_id"
		where "messages"."id" = "repeats"."message_id"
			and "history"."api_key_id" = $4
	);

-- heldPushes
select held.device_id, held.total, messages.content_json
from (
	select device_id, message_id, id, row_number() over (partition by device_id
	order by id desc) as place, count(*) over (partition by device_id) as total
	from (
		select deliveries.device_id, deliveries.message_id, deliveries.id
		from (
			select "device_id", "first_delivery_id"
			from json_populate_recordset(null::"quiet_summaries", $1::json)
		) as asked
		cross join deliveries
		where deliveries.device_id = asked.device_id
			and deliveries.id >= asked.first_delivery_id
			and deliveries.held = 1
			and deliveries.lane is null
			and deliveries.dismissed_at is null
			and deliveries.muted = 0
			and deliveries.state <> 'failed'
		union all
		select deliveries.device_id, deliveries.message_id, deliveries.id
		from (
			select "device_id", "first_delivery_id"
			from json_populate_recordset(null::"quiet_summaries", $2::json)
		) as asked
		cross join deliveries
		where deliveries.device_id = asked.device_id
			and deliveries.id >= asked.first_delivery_id
			and deliveries.held = 1
			and deliveries.lane is not null
			and deliveries.lane like 'question:%'
			and deliveries.dismissed_at is null
			and deliveries.muted = 0
			and deliveries.state <> 'failed'
	) as pushes
) as held
inner join messages on messages.id = held.message_id
where held.place <= 3
order by held.device_id, held.id desc;

-- deliveryStates
select "message_id", "device_id", "id", "last_error", case when deliveries.state <> 'stored' then deliveries.state when deliveries.muted <> 0 then 'muted' when deliveries.held <> 0 then 'held_back' else 'stored' end as "state"
from "deliveries"
where "message_id" = any(array(
	select "id"
	from "messages"
	where "history_id" = $1
		and id <= $2
		and "kind" != $3
))
	and ("message_id", deliveries.device_id, deliveries.id) < ($4, $5, $6)
	and 1 = 1
order by "message_id" desc, "device_id" desc, "id" desc
limit $7;

-- deleteHistory
delete from "deliveries"
where "ctid" = any(array(
	select "ctid"
	from "deliveries"
	where "message_id" = any(array(
		select id
		from messages
		where "history_id" in ($1)
	))
	limit 250
));

-- deleteHistory
delete from "messages"
where "ctid" = any(array(
	select "ctid"
	from "messages"
	where "history_id" in ($1)
	limit 250
));

-- deleteHistory
delete from "taps"
where "ctid" = any(array(
	select "ctid"
	from "taps"
	where "history_id" in ($1)
	limit 250
));

-- deleteHistory
delete from "activity_devices"
where "ctid" = any(array(
	select "ctid"
	from "activity_devices"
	where "activity_id" in ($1)
	limit 250
));

-- deleteHistory
delete from "images"
where "ctid" = any(array(
	select "ctid"
	from "images"
	where "history_id" in ($1)
	limit 5
));

-- deleteHistory
delete from "history"
where "id" in ($1);
