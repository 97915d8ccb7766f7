-- +? is a parameter that does not make SQLite plan the statement anew: engine/sqlite/database.ts, SqliteWithStablePlans.

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
limit +?;

-- claimDue
update "deliveries"
set "leased_until" = +?, "next_attempt_at" = +?
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
		and "deliveries"."next_attempt_at" <= +?
	order by "deliveries"."next_attempt_at", "deliveries"."id"
	limit +?
)
	and "state" = 'pending'
	and "next_attempt_at" <= +?
returning "id";

-- claimDue
select "messages"."id", "messages"."account_id", "messages"."history_id", "messages"."kind", "messages"."content_json", "messages"."lane", "messages"."created_at", "messages"."expires_at", "deliveries"."id" as "delivery_id", "deliveries"."attempts", "deliveries"."muted", "deliveries"."held", "deliveries"."push_delivery_id", "devices"."id" as "device_id", "user_id", "platform", "push_token", "push_to_start_token", "push_environment", "push_subscription_json", "badge", "quiet_json", "failed_at", "app_json", "activity_devices"."token"
from "deliveries"
inner join "messages" on "messages"."id" = "deliveries"."message_id"
inner join "devices" on "devices"."id" = "deliveries"."device_id"
left join "activity_devices" on "activity_devices"."activity_id" = "messages"."history_id"
	and "activity_devices"."device_id" = "deliveries"."device_id"
where "deliveries"."id" in (+?)
	and ("expires_at" is null
	or "expires_at" > +?)
order by "deliveries"."id";

-- claimDueOfOthers
update "deliveries"
set "leased_until" = +?, "next_attempt_at" = +?
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
		and "deliveries"."next_attempt_at" <= +?
		and (
			select "account_id"
			from "messages"
			where "messages"."id" = "deliveries"."message_id"
		) not in (+?)
	order by "deliveries"."next_attempt_at", "deliveries"."id"
	limit +?
)
	and "state" = 'pending'
	and "next_attempt_at" <= +?
returning "id";

-- claimDueOfOthers
select "messages"."id", "messages"."account_id", "messages"."history_id", "messages"."kind", "messages"."content_json", "messages"."lane", "messages"."created_at", "messages"."expires_at", "deliveries"."id" as "delivery_id", "deliveries"."attempts", "deliveries"."muted", "deliveries"."held", "deliveries"."push_delivery_id", "devices"."id" as "device_id", "user_id", "platform", "push_token", "push_to_start_token", "push_environment", "push_subscription_json", "badge", "quiet_json", "failed_at", "app_json", "activity_devices"."token"
from "deliveries"
inner join "messages" on "messages"."id" = "deliveries"."message_id"
inner join "devices" on "devices"."id" = "deliveries"."device_id"
left join "activity_devices" on "activity_devices"."activity_id" = "messages"."history_id"
	and "activity_devices"."device_id" = "deliveries"."device_id"
where "deliveries"."id" in (+?)
	and ("expires_at" is null
	or "expires_at" > +?)
order by "deliveries"."id";

-- markHeld
update "deliveries"
set "held" = +?
where "id" in (+?);

-- markStored
update "deliveries"
set "last_error" = null, "state" = 'stored', "leased_until" = null
where "state" || '' in ('pending')
	and "id" in (
		select value
		from json_each(+?)
	);

-- markHandedOver
update "deliveries"
set "handed_over_at" = +?, "last_error" = null, "state" = 'handed_over', "leased_until" = null
where "state" || '' in ('pending', 'stored', 'failed', 'expired', 'superseded')
	and "id" in (
		select value
		from json_each(+?)
	);

-- recordFailures
update deliveries
set state = case when failure.state = 'pending'
	and deliveries.dismissed_at is not null
	and (deliveries.lane is null
	or deliveries.lane like 'question:%') then 'superseded' else failure.state end, attempts = failure.attempts, next_attempt_at = failure.next_attempt_at, last_error = failure.last_error, leased_until = null, failures = coalesce(deliveries.failures || ' ', '') || failure.failures
from (
	select value->>0 as "id", value->>1 as "state", value->>2 as "attempts", value->>3 as "next_attempt_at", value->>4 as "last_error", value->>5 as "failures"
	from jsonb_each(+?)
) as failure
where deliveries.id = failure.id
	and "deliveries"."state" || '' in ('pending');

-- recordFailures
update "deliveries"
set "state" = 'superseded', "leased_until" = null
where "state" || '' in ('pending')
	and "id" in (
		select value
		from json_each(+?)
	)
	and "replaceable" = 1
	and (
		select "newer"."id"
		from "deliveries" as "newer"
		where "newer"."device_id" = "deliveries"."device_id"
			and "newer"."lane" = "deliveries"."lane"
			and "newer"."message_id" > "deliveries"."message_id"
			and "newer"."id" > "deliveries"."id"
			and "newer"."state" = 'pending'
		limit 1
	) is not null;

-- expireDeliveriesOf
update "deliveries"
set "dismissed_at" = +?, "last_error" = null, "state" = 'expired', "leased_until" = null
where "state" || '' in ('pending', 'stored', 'handed_over')
	and "message_id" in (
		select value
		from json_each(+?)
	)
	and ("state" != 'handed_over'
	or exists (
		select "devices"."id"
		from "devices"
		where "devices"."id" = "deliveries"."device_id"
			and "platform" = 'web'
	));

-- markFailed
update "deliveries"
set "last_error" = +?, "state" = +?, "leased_until" = +?
where "state" || '' in ('pending')
	and "id" = +?;

-- reschedule
update "deliveries"
set "next_attempt_at" = +? + id % +?, "leased_until" = +?
where "id" in (
	select value
	from json_each(+?)
)
	and "state" || '' in ('pending');

-- failPending
update "deliveries"
set "state" = 'failed', "last_error" = 'The phone was disconnected', "leased_until" = null
where "state" = 'pending'
	and "device_id" in (
		select value
		from json_each(+?)
	);

-- queueForNextTokens
update activity_devices
set token = null, queued_message_id = case when activity_devices.queued_message_id > dead.queued_message_id then activity_devices.queued_message_id else dead.queued_message_id end
from (
	select value->>0 as "activity_id", value->>1 as "device_id", value->>2 as "token", value->>3 as "queued_message_id"
	from jsonb_each(+?)
) as dead
where activity_devices.activity_id = dead.activity_id
	and activity_devices.device_id = dead.device_id
	and activity_devices.token is not distinct from dead.token
returning activity_devices.activity_id, activity_devices.device_id;

-- markGone
update devices
set status = 'disconnected'
from (
	select value->>0 as "id", value->>1 as "push_token", value->>2 as "push_registered_at"
	from jsonb_each(+?)
) as gone
where devices.id = gone.id
	and devices.push_token is not distinct from gone.push_token
	and coalesce(devices.push_registered_at <= gone.push_registered_at, true)
returning devices.id;

-- forgetPushToStartTokens
update devices
set push_to_start_token = null
from (
	select value->>0 as "id", value->>1 as "push_to_start_token"
	from jsonb_each(+?)
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
where "deliveries"."id" = +?;

-- measureTokenBacklog
select count(*) as "pending", min("messages"."created_at") as "oldest"
from "activity_devices"
inner join "messages" on "messages"."id" = "activity_devices"."queued_message_id"
where "activity_devices"."queued_message_id" is not null
	and "messages"."created_at" >= +?;

-- endRepeatsOfKey
update "repeats"
set "ended_at" = +?, "end_reason" = +?
where "ended_at" is null
	and "account_id" = +?
	and exists (
		select "history"."id"
		from "messages"
		inner join "history" on "history"."id" = "messages"."history_id"
		where "messages"."id" = "repeats"."message_id"
			and "history"."api_key_id" = +?
	);

-- heldPushes
select held.device_id, held.total, messages.content_json
from (
	select device_id, message_id, id, row_number() over (partition by device_id
	order by id desc) as place, count(*) over (partition by device_id) as total
	from (
		select deliveries.device_id, deliveries.message_id, deliveries.id
		from (
			select value->>0 as "device_id", value->>1 as "first_delivery_id"
			from jsonb_each(+?)
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
			select value->>0 as "device_id", value->>1 as "first_delivery_id"
			from jsonb_each(+?)
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
where "message_id" in (
	select "id"
	from "messages"
	where "history_id" = +?
		and id <= +?
		and "kind" != +?
)
	and ("message_id", deliveries.device_id, deliveries.id) < (+?, +?, +?)
	and 1 = 1
order by "message_id" desc, "device_id" desc, "id" desc
limit +?;

-- deleteHistory
delete from "deliveries"
where "rowid" in (
	select "rowid"
	from "deliveries"
	where "message_id" in (
		select id
		from messages
		where "history_id" in (+?)
	)
	limit 250
);

-- deleteHistory
delete from "messages"
where "rowid" in (
	select "rowid"
	from "messages"
	where "history_id" in (+?)
	limit 250
);

-- deleteHistory
delete from "taps"
where "rowid" in (
	select "rowid"
	from "taps"
	where "history_id" in (+?)
	limit 250
);

-- deleteHistory
delete from "activity_devices"
where "rowid" in (
	select "rowid"
	from "activity_devices"
	where "activity_id" in (+?)
	limit 250
);

-- deleteHistory
delete from "images"
where "rowid" in (
	select "rowid"
	from "images"
	where "history_id" in (+?)
	limit 5
);

-- deleteHistory
delete from "history"
where "id" in (+?);
