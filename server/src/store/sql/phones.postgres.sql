-- activeDeviceByTokenHash
select "devices".*, "users"."name" as "user_name", "accounts"."name" as "account_name", "users"."preferences_json"
from "devices"
inner join "users" on "users"."id" = "devices"."user_id"
inner join "accounts" on "accounts"."id" = "devices"."account_id"
where "devices"."token_hash" = $1
	and "devices"."status" = 'active';

-- statusOfDevice
select "status"
from "devices"
where "id" = $1;

-- updateDevice
update "devices"
set "last_seen_at" = $1
where "id" = $2;

-- inboxAfter
select *
from (
	select "deliveries"."id", "deliveries"."muted", "deliveries"."held", "deliveries"."push_delivery_id", "messages"."kind", "messages"."content_json", "messages"."created_at"
	from "deliveries"
	inner join "messages" on "messages"."id" = "deliveries"."message_id"
	where "deliveries"."device_id" = $1
		and "deliveries"."state" not in ($2, $3)
		and deliveries.lane is null
		and deliveries.dismissed_at is null
		and deliveries.muted = 0
		and "deliveries"."id" > $4
	order by "deliveries"."id"
	limit $5
) as "shown"
union all
select *
from (
	select "deliveries"."id", "deliveries"."muted", "deliveries"."held", "deliveries"."push_delivery_id", "messages"."kind", "messages"."content_json", "messages"."created_at"
	from "deliveries"
	inner join "messages" on "messages"."id" = "deliveries"."message_id"
	where "deliveries"."device_id" = $6
		and "deliveries"."state" not in ($7, $8)
		and (deliveries.lane is not null
		or deliveries.dismissed_at is not null
		or deliveries.muted <> 0)
		and "deliveries"."id" > $9
	order by "deliveries"."id"
	limit $10
) as "not_shown"
order by "id"
limit $11;

-- newestDeliveryId
select *
from (
	select "deliveries"."id"
	from "deliveries"
	where "deliveries"."device_id" = $1
		and deliveries.lane is null
		and deliveries.dismissed_at is null
		and deliveries.muted = 0
		and "deliveries"."id" < $2
	order by "deliveries"."id" desc
	limit $3
) as "shown"
union all
select *
from (
	select "deliveries"."id"
	from "deliveries"
	where "deliveries"."device_id" = $4
		and (deliveries.lane is not null
		or deliveries.dismissed_at is not null
		or deliveries.muted <> 0)
		and "deliveries"."id" < $5
	order by "deliveries"."id" desc
	limit $6
) as "not_shown"
order by "id" desc
limit $7;

-- recentPushes
select "deliveries"."id", "deliveries"."muted", "deliveries"."held", "deliveries"."push_delivery_id", "messages"."kind", "messages"."content_json", "messages"."created_at"
from "deliveries"
inner join "messages" on "messages"."id" = "deliveries"."message_id"
where "deliveries"."device_id" = $1
	and "deliveries"."state" not in ($2, $3)
	and "messages"."kind" = $4
	and deliveries.lane is null
	and deliveries.dismissed_at is null
	and deliveries.muted = 0
order by "deliveries"."id" desc
limit $5;

-- activitiesOnScreen
select "activities".*
from "activities"
inner join "activity_devices" on "activity_devices"."activity_id" = "activities"."id"
where "activity_devices"."device_id" = $1
	and "activity_devices"."dismissed_at" is null
	and ("activities"."ended_at" is null
	or "activities"."dismiss_at" > $2)
order by "activities"."started_at", "activities"."id";

-- listMetrics
select *
from "metrics"
where "account_id" = $1
order by "key";

-- countShownPushes
select count(*) as "count", max("batch"."id") as "last"
from (
	select "id"
	from "deliveries"
	where "device_id" = $1
		and deliveries.lane is null
		and deliveries.dismissed_at is null
		and deliveries.muted = 0
		and "state" != $2
		and "id" > $3
	order by "id"
	limit $4
) as "batch";

-- acknowledge
update deliveries
set state = 'received', leased_until = null, last_error = case when deliveries.handed_over_at is not null then deliveries.last_error end, acknowledged_at = coalesce(deliveries.acknowledged_at, received.acknowledged_at)
from (
	select "id", "device_id", "acknowledged_at"
	from json_populate_recordset(null::"deliveries", $1::json)
) as received
where deliveries.id = received.id
	and deliveries.device_id = received.device_id
returning deliveries.id, deliveries.device_id;

-- deliveryHistory
select *
from (
	select "deliveries"."id"
	from "deliveries"
	where "deliveries"."device_id" = $1
		and deliveries.lane is null
		and deliveries.dismissed_at is null
		and deliveries.muted = 0
		and "deliveries"."id" < $2
	order by "deliveries"."id" desc
	limit $3
) as "shown"
union all
select *
from (
	select "deliveries"."id"
	from "deliveries"
	where "deliveries"."device_id" = $4
		and (deliveries.lane is not null
		or deliveries.dismissed_at is not null
		or deliveries.muted <> 0)
		and "deliveries"."id" < $5
	order by "deliveries"."id" desc
	limit $6
) as "not_shown"
order by "id" desc
limit $7 offset $8;

-- deliveryHistory
select *
from (
	select "deliveries"."id", "deliveries"."muted", "deliveries"."held", "deliveries"."push_delivery_id", "messages"."kind", "messages"."content_json", "messages"."created_at"
	from "deliveries"
	inner join "messages" on "messages"."id" = "deliveries"."message_id"
	inner join "history" on "history"."id" = "messages"."history_id"
	where "deliveries"."device_id" = $1
		and "deliveries"."state" not in ($2, $3)
		and deliveries.lane is null
		and deliveries.dismissed_at is null
		and deliveries.muted = 0
		and "messages"."kind" not in ($4, $5)
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
				and "newer"."kind" != $6
				and "later"."device_id" = "deliveries"."device_id"
				and "later"."state" not in ($7, $8)
		)
		and "deliveries"."id" >= $9
	order by "deliveries"."id" desc
	limit $10
) as "shown"
union all
select *
from (
	select "deliveries"."id", "deliveries"."muted", "deliveries"."held", "deliveries"."push_delivery_id", "messages"."kind", "messages"."content_json", "messages"."created_at"
	from "deliveries"
	inner join "messages" on "messages"."id" = "deliveries"."message_id"
	inner join "history" on "history"."id" = "messages"."history_id"
	where "deliveries"."device_id" = $11
		and "deliveries"."state" not in ($12, $13)
		and (deliveries.lane is not null
		or deliveries.dismissed_at is not null
		or deliveries.muted <> 0)
		and "messages"."kind" not in ($14, $15)
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
				and "newer"."kind" != $16
				and "later"."device_id" = "deliveries"."device_id"
				and "later"."state" not in ($17, $18)
		)
		and "deliveries"."id" >= $19
	order by "deliveries"."id" desc
	limit $20
) as "not_shown"
order by "id" desc
limit $21;

-- updateDelivery
update "deliveries"
set "dismissed_at" = $1
where "device_id" = $2
	and "id" = $3;

-- dismissOnOtherPhones
update "deliveries"
set "dismissed_at" = $1
where "message_id" in (
	select "own"."message_id"
	from "deliveries" as "own"
	where "own"."id" = any(array(
		select value::bigint
		from jsonb_array_elements_text($2::jsonb) as value
	))
		and "own"."device_id" = $3
)
	and "device_id" in (
		select "devices"."id"
		from "devices"
		where "user_id" = $4
			and "devices"."id" != $5
			and "removed_at" is null
	)
	and "dismissed_at" is null
returning "device_id";

-- dismissActivity
update "activity_devices"
set "dismissed_at" = $1, "queued_message_id" = $2
where "activity_id" = $3
	and ("device_id" = $4
	or ("device_id" in (
		select "devices"."id"
		from "devices"
		where "user_id" = $5
			and "devices"."id" != $6
			and "removed_at" is null
	)
	and "dismissed_at" is null))
returning "device_id";
