-- +? is a parameter that does not make SQLite plan the statement anew: engine/sqlite/database.ts, SqliteWithStablePlans.

-- activeDeviceByTokenHash
select "devices".*, "users"."name" as "user_name", "accounts"."name" as "account_name", "users"."preferences_json"
from "devices"
inner join "users" on "users"."id" = "devices"."user_id"
inner join "accounts" on "accounts"."id" = "devices"."account_id"
where "devices"."token_hash" = +?
	and "devices"."status" = 'active';

-- statusOfDevice
select "status"
from "devices"
where "id" = +?;

-- updateDevice
update "devices"
set "last_seen_at" = +?
where "id" = +?;

-- inboxAfter
select *
from (
	select "deliveries"."id", "deliveries"."muted", "deliveries"."held", "deliveries"."push_delivery_id", "messages"."kind", "messages"."content_json", "messages"."created_at"
	from "deliveries"
	inner join "messages" on "messages"."id" = "deliveries"."message_id"
	where "deliveries"."device_id" = +?
		and "deliveries"."state" not in (+?, +?)
		and deliveries.lane is null
		and deliveries.dismissed_at is null
		and deliveries.muted = 0
		and "deliveries"."id" > +?
	order by "deliveries"."id"
	limit +?
) as "shown"
union all
select *
from (
	select "deliveries"."id", "deliveries"."muted", "deliveries"."held", "deliveries"."push_delivery_id", "messages"."kind", "messages"."content_json", "messages"."created_at"
	from "deliveries"
	inner join "messages" on "messages"."id" = "deliveries"."message_id"
	where "deliveries"."device_id" = +?
		and "deliveries"."state" not in (+?, +?)
		and (deliveries.lane is not null
		or deliveries.dismissed_at is not null
		or deliveries.muted <> 0)
		and "deliveries"."id" > +?
	order by "deliveries"."id"
	limit +?
) as "not_shown"
order by "id"
limit +?;

-- newestDeliveryId
select *
from (
	select "deliveries"."id"
	from "deliveries"
	where "deliveries"."device_id" = +?
		and deliveries.lane is null
		and deliveries.dismissed_at is null
		and deliveries.muted = 0
		and "deliveries"."id" < +?
	order by "deliveries"."id" desc
	limit +?
) as "shown"
union all
select *
from (
	select "deliveries"."id"
	from "deliveries"
	where "deliveries"."device_id" = +?
		and (deliveries.lane is not null
		or deliveries.dismissed_at is not null
		or deliveries.muted <> 0)
		and "deliveries"."id" < +?
	order by "deliveries"."id" desc
	limit +?
) as "not_shown"
order by "id" desc
limit +?;

-- recentPushes
select "deliveries"."id", "deliveries"."muted", "deliveries"."held", "deliveries"."push_delivery_id", "messages"."kind", "messages"."content_json", "messages"."created_at"
from "deliveries"
inner join "messages" on "messages"."id" = "deliveries"."message_id"
where "deliveries"."device_id" = +?
	and "deliveries"."state" not in (+?, +?)
	and "messages"."kind" = +?
	and deliveries.lane is null
	and deliveries.dismissed_at is null
	and deliveries.muted = 0
order by "deliveries"."id" desc
limit +?;

-- activitiesOnScreen
select "activities".*
from "activities"
inner join "activity_devices" on "activity_devices"."activity_id" = "activities"."id"
where "activity_devices"."device_id" = +?
	and "activity_devices"."dismissed_at" is null
	and ("activities"."ended_at" is null
	or "activities"."dismiss_at" > +?)
order by "activities"."started_at", "activities"."id";

-- listMetrics
select *
from "metrics"
where "account_id" = +?
order by "key";

-- countShownPushes
select count(*) as "count", max("batch"."id") as "last"
from (
	select "id"
	from "deliveries"
	where "device_id" = +?
		and deliveries.lane is null
		and deliveries.dismissed_at is null
		and deliveries.muted = 0
		and "state" != +?
		and "id" > +?
	order by "id"
	limit +?
) as "batch";

-- acknowledge
update deliveries
set state = 'received', leased_until = null, last_error = case when deliveries.handed_over_at is not null then deliveries.last_error end, acknowledged_at = coalesce(deliveries.acknowledged_at, received.acknowledged_at)
from (
	select value->>0 as "id", value->>1 as "device_id", value->>2 as "acknowledged_at"
	from jsonb_each(+?)
) as received
where deliveries.id = received.id
	and deliveries.device_id = received.device_id
returning deliveries.id, deliveries.device_id;

-- deliveryHistory
select *
from (
	select "deliveries"."id"
	from "deliveries"
	where "deliveries"."device_id" = +?
		and deliveries.lane is null
		and deliveries.dismissed_at is null
		and deliveries.muted = 0
		and "deliveries"."id" < +?
	order by "deliveries"."id" desc
	limit +?
) as "shown"
union all
select *
from (
	select "deliveries"."id"
	from "deliveries"
	where "deliveries"."device_id" = +?
		and (deliveries.lane is not null
		or deliveries.dismissed_at is not null
		or deliveries.muted <> 0)
		and "deliveries"."id" < +?
	order by "deliveries"."id" desc
	limit +?
) as "not_shown"
order by "id" desc
limit +? offset +?;

-- deliveryHistory
select *
from (
	select "deliveries"."id", "deliveries"."muted", "deliveries"."held", "deliveries"."push_delivery_id", "messages"."kind", "messages"."content_json", "messages"."created_at"
	from "deliveries"
	inner join "messages" on "messages"."id" = "deliveries"."message_id"
	inner join "history" on "history"."id" = "messages"."history_id"
	where "deliveries"."device_id" = +?
		and "deliveries"."state" not in (+?, +?)
		and deliveries.lane is null
		and deliveries.dismissed_at is null
		and deliveries.muted = 0
		and "messages"."kind" not in (+?, +?)
		and 1 = 1
		and not exists (
			select "later"."id"
			from "messages" as "newer"
			cross join "deliveries" as "later"
			where "newer"."history_id" = "messages"."history_id"
				and "later"."message_id" = "newer"."id"
				and ("newer"."id" > "messages"."id"
				or ("newer"."id" = "messages"."id"
				and "later"."id" > "deliveries"."id"))
				and "newer"."kind" != +?
				and "later"."device_id" = "deliveries"."device_id"
				and "later"."state" not in (+?, +?)
		)
		and "deliveries"."id" >= +?
	order by "deliveries"."id" desc
	limit +?
) as "shown"
union all
select *
from (
	select "deliveries"."id", "deliveries"."muted", "deliveries"."held", "deliveries"."push_delivery_id", "messages"."kind", "messages"."content_json", "messages"."created_at"
	from "deliveries"
	inner join "messages" on "messages"."id" = "deliveries"."message_id"
	inner join "history" on "history"."id" = "messages"."history_id"
	where "deliveries"."device_id" = +?
		and "deliveries"."state" not in (+?, +?)
		and (deliveries.lane is not null
		or deliveries.dismissed_at is not null
		or deliveries.muted <> 0)
		and "messages"."kind" not in (+?, +?)
		and 1 = 1
		and not exists (
			select "later"."id"
			from "messages" as "newer"
			cross join "deliveries" as "later"
			where "newer"."history_id" = "messages"."history_id"
				and "later"."message_id" = "newer"."id"
				and ("newer"."id" > "messages"."id"
				or ("newer"."id" = "messages"."id"
				and "later"."id" > "deliveries"."id"))
				and "newer"."kind" != +?
				and "later"."device_id" = "deliveries"."device_id"
				and "later"."state" not in (+?, +?)
		)
		and "deliveries"."id" >= +?
	order by "deliveries"."id" desc
	limit +?
) as "not_shown"
order by "id" desc
limit +?;

-- updateDelivery
update "deliveries"
set "dismissed_at" = +?
where "device_id" = +?
	and "id" = +?;

-- dismissOnOtherPhones
update "deliveries"
set "dismissed_at" = +?
where "message_id" in (
	select "own"."message_id"
	from "deliveries" as "own"
	where "own"."id" in (
		select value
		from json_each(+?)
	)
		and "own"."device_id" = +?
)
	and "device_id" in (
		select "devices"."id"
		from "devices"
		where "user_id" = +?
			and "devices"."id" != +?
			and "removed_at" is null
	)
	and "dismissed_at" is null
returning "device_id";

-- dismissActivity
update "activity_devices"
set "dismissed_at" = +?, "queued_message_id" = +?
where "activity_id" = +?
	and ("device_id" = +?
	or ("device_id" in (
		select "devices"."id"
		from "devices"
		where "user_id" = +?
			and "devices"."id" != +?
			and "removed_at" is null
	)
	and "dismissed_at" is null))
returning "device_id";
