-- keyByHash
select "id", "account_id", "kind", "hash", "last_used_at", "revoked_at", case when api_keys.scope = 'channels' then (
	select coalesce(string_agg(channels.slug, ' '
	order by channels.slug), '')
	from api_key_channels
	inner join channels on channels.id = api_key_channels.channel_id
	where api_key_channels.api_key_id = api_keys.id
) end as "slugs", (
	select api_key_id
	from markdown_keys
	where api_key_id = api_keys.id
) as "markdown"
from "api_keys"
where "hash" = any(array(
	select value::text
	from jsonb_array_elements_text($1::jsonb) as value
));

-- accountsWithSends
select "accounts"."id", "accounts"."name", "accounts"."owner_email", "accounts"."plan", "accounts"."trial_started_at", "accounts"."trial_ends_at", "accounts"."quota", "accounts"."overage_cap", "accounts"."created_at", "accounts"."time_zone", "usage"."period", "usage"."sends"
from "accounts"
left join "usage" on "usage"."account_id" = "accounts"."id"
	and "usage"."period" = any(array(
		select value::text
		from jsonb_array_elements_text($1::jsonb) as value
	))
where "accounts"."id" = any(array(
	select value::text
	from jsonb_array_elements_text($2::jsonb) as value
));

-- devicesOfAccounts
select "devices"."id", "devices"."status", "user_id", "platform", "push_token", "push_to_start_token", "push_environment", "push_subscription_json", "badge", "quiet_json", "failed_at", "app_json", "account_id"
from "devices"
where "account_id" = any(array(
	select value::text
	from jsonb_array_elements_text($1::jsonb) as value
))
	and "removed_at" is null
order by "devices"."id";

-- channelsNamedBy
select "channels"."id", "channels"."account_id", "channels"."slug"
from (
	select "account_id", "slug"
	from json_populate_recordset(null::"channels", $1::json)
) as asked
cross join "channels"
where "channels"."account_id" = "asked"."account_id"
	and "channels"."slug" = "asked"."slug";

-- devicesWithIds
select "devices"."id", "devices"."status", "user_id", "platform", "push_token", "push_to_start_token", "push_environment", "push_subscription_json", "badge", "quiet_json", "failed_at", "app_json", "account_id"
from "devices"
where "id" = any(array(
	select value::text
	from jsonb_array_elements_text($1::jsonb) as value
))
	and "removed_at" is null;

-- devicesOfChannels
select "devices"."id", "devices"."status", "user_id", "platform", "push_token", "push_to_start_token", "push_environment", "push_subscription_json", "badge", "quiet_json", "failed_at", "app_json", "reached"."channel_id", "muted_channels"."device_id" as "muted_by"
from (
	select "channel_id", "device_id"
	from "channel_devices"
	where "channel_id" = any(array(
		select value::text
		from jsonb_array_elements_text($1::jsonb) as value
	))
	union
	select "channel_users"."channel_id", "devices"."id" as "device_id"
	from "channel_users"
	inner join "devices" on "devices"."user_id" = "channel_users"."user_id"
	where "channel_users"."channel_id" = any(array(
		select value::text
		from jsonb_array_elements_text($2::jsonb) as value
	))
) as "reached"
cross join "devices"
left join "muted_channels" on "muted_channels"."channel_id" = "reached"."channel_id"
	and "muted_channels"."device_id" = "reached"."device_id"
where "devices"."id" = "reached"."device_id"
	and "devices"."removed_at" is null
order by "devices"."id";

-- mutesOfChannels
select channels.account_id, channels.slug, muted_channels.device_id
from (
	select "account_id", "slug"
	from json_populate_recordset(null::"channels", $1::json)
) as asked
cross join channels
cross join muted_channels
where channels.account_id = asked.account_id
	and channels.slug = asked.slug
	and muted_channels.channel_id = channels.id;

-- lockLanes
select deliveries.id, deliveries.message_id, deliveries.device_id, deliveries.lane, deliveries.leased_until, deliveries.replaceable
from (
	select "device_id", "lane"
	from json_populate_recordset(null::"deliveries", $1::json)
) as asked
cross join deliveries
where deliveries.device_id = asked.device_id
	and deliveries.lane = asked.lane
	and deliveries.state = 'pending'
order by deliveries.id
for update of deliveries;

-- insertHistoryEntries
insert into "history" ("id", "account_id", "api_key_id", "kind", "title", "channels_json", "tags_json", "metadata_json", "created_at", "request_id", "idempotency_key", "kept_json")
select "id", "account_id", "api_key_id", "kind", "title", "channels_json", "tags_json", "metadata_json", "created_at", "request_id", "idempotency_key", "kept_json"
from json_populate_recordset(null::"history", $1::json);

-- insertHistoryEntries
insert into "history_tags" ("history_id", "tag")
select "history_id", "tag"
from json_populate_recordset(null::"history_tags", $1::json);

-- setBadges
update "devices"
set "badge" = coalesce("changed"."badge", "devices"."badge")
from (
	select "id", "badge"
	from json_populate_recordset(null::"devices", $1::json)
) as changed
where "devices"."id" = "changed"."id";

-- insertMessages
insert into "messages" ("account_id", "history_id", "kind", "content_json", "actions_json", "lane", "created_at", "expires_at")
select "account_id", "history_id", "kind", "content_json", "actions_json", "lane", "created_at", "expires_at"
from json_populate_recordset(null::"messages", $1::json)
returning "id";

-- insertDeliveries
insert into deliveries (device_id, "message_id", "state", "next_attempt_at", "leased_until", "lane", "replaceable", "muted", "held")
select device.value, "alike"."message_id", "alike"."state", "alike"."next_attempt_at", "alike"."leased_until", "alike"."lane", "alike"."replaceable", "alike"."muted", "alike"."held"
from (
	select "message_id", "state", "next_attempt_at", "leased_until", "lane", "replaceable", "muted", "held", "device_id"
	from json_populate_recordset(null::"deliveries", $1::json)
) as alike
cross join json_array_elements_text(alike.device_id::json) as device
returning id;

-- supersedeAll
update "deliveries"
set "state" = 'superseded', "leased_until" = null
where "state" || '' in ('pending')
	and "id" = any(array(
		select value::bigint
		from jsonb_array_elements_text($1::jsonb) as value
	));

-- planSummaries
insert into quiet_summaries (device_id, account_id, first_delivery_id, due_at)
select "device_id", "account_id", "first_delivery_id", "due_at"
from json_populate_recordset(null::"quiet_summaries", $1::json)
where true
on conflict (device_id) do update
set due_at = excluded.due_at, first_delivery_id = case when excluded.first_delivery_id < quiet_summaries.first_delivery_id then excluded.first_delivery_id else quiet_summaries.first_delivery_id end;

-- addUsage
insert into "usage" ("account_id", "period", "sends")
select "account_id", "period", "sends"
from json_populate_recordset(null::"usage", $1::json)
where true
on conflict ("account_id", "period") do update
set "sends" = "usage"."sends" + "excluded"."sends";

-- findKeptResponses
select "id", "channels_json", "tags_json", "created_at", "idempotency_key", "kept_json"
from "history"
where "idempotency_key" is not null
	and "idempotency_key" = any(array(
		select value::text
		from jsonb_array_elements_text($1::jsonb) as value
	))
order by "created_at";

-- insertRepeats
insert into "repeats" ("id", "account_id", "message_id", "every_ms", "times_left", "next_at", "ended_at", "end_reason")
select "id", "account_id", "message_id", "every_ms", "times_left", "next_at", "ended_at", "end_reason"
from json_populate_recordset(null::"repeats", $1::json);

-- updateImage
update "images"
set "history_id" = $1
where "account_id" = $2
	and "path_hash" = $3;
