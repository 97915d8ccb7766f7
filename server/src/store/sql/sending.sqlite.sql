-- +? is a parameter that does not make SQLite plan the statement anew: engine/sqlite/database.ts, SqliteWithStablePlans.

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
where "hash" in (
	select value
	from json_each(+?)
);

-- accountsWithSends
select "accounts"."id", "accounts"."name", "accounts"."owner_email", "accounts"."plan", "accounts"."trial_started_at", "accounts"."trial_ends_at", "accounts"."quota", "accounts"."overage_cap", "accounts"."created_at", "accounts"."time_zone", "usage"."period", "usage"."sends"
from "accounts"
left join "usage" on "usage"."account_id" = "accounts"."id"
	and "usage"."period" in (
		select value
		from json_each(+?)
	)
where "accounts"."id" in (
	select value
	from json_each(+?)
);

-- devicesOfAccounts
select "devices"."id", "devices"."status", "user_id", "platform", "push_token", "push_to_start_token", "push_environment", "push_subscription_json", "badge", "quiet_json", "failed_at", "app_json", "account_id"
from "devices"
where "account_id" in (
	select value
	from json_each(+?)
)
	and "removed_at" is null
order by "devices"."id";

-- channelsNamedBy
select "channels"."id", "channels"."account_id", "channels"."slug"
from (
	select value->>0 as "account_id", value->>1 as "slug"
	from jsonb_each(+?)
) as asked
cross join "channels"
where "channels"."account_id" = "asked"."account_id"
	and "channels"."slug" = "asked"."slug";

-- devicesWithIds
select "devices"."id", "devices"."status", "user_id", "platform", "push_token", "push_to_start_token", "push_environment", "push_subscription_json", "badge", "quiet_json", "failed_at", "app_json", "account_id"
from "devices"
where "id" in (
	select value
	from json_each(+?)
)
	and "removed_at" is null;

-- devicesOfChannels
select "devices"."id", "devices"."status", "user_id", "platform", "push_token", "push_to_start_token", "push_environment", "push_subscription_json", "badge", "quiet_json", "failed_at", "app_json", "reached"."channel_id", "muted_channels"."device_id" as "muted_by"
from (
	select "channel_id", "device_id"
	from "channel_devices"
	where "channel_id" in (
		select value
		from json_each(+?)
	)
	union
	select "channel_users"."channel_id", "devices"."id" as "device_id"
	from "channel_users"
	inner join "devices" on "devices"."user_id" = "channel_users"."user_id"
	where "channel_users"."channel_id" in (
		select value
		from json_each(+?)
	)
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
	select value->>0 as "account_id", value->>1 as "slug"
	from jsonb_each(+?)
) as asked
cross join channels
cross join muted_channels
where channels.account_id = asked.account_id
	and channels.slug = asked.slug
	and muted_channels.channel_id = channels.id;

-- lockLanes
select deliveries.id, deliveries.message_id, deliveries.device_id, deliveries.lane, deliveries.leased_until, deliveries.replaceable
from (
	select value->>0 as "device_id", value->>1 as "lane"
	from jsonb_each(+?)
) as asked
cross join deliveries
where deliveries.device_id = asked.device_id
	and deliveries.lane = asked.lane
	and deliveries.state = 'pending'
order by deliveries.id;

-- insertHistoryEntries
insert into "history" ("id", "account_id", "api_key_id", "kind", "title", "channels_json", "tags_json", "metadata_json", "created_at", "request_id", "idempotency_key", "kept_json")
select value->>0 as "id", value->>1 as "account_id", value->>2 as "api_key_id", value->>3 as "kind", value->>4 as "title", value->>5 as "channels_json", value->>6 as "tags_json", value->>7 as "metadata_json", value->>8 as "created_at", value->>9 as "request_id", value->>10 as "idempotency_key", value->>11 as "kept_json"
from jsonb_each(+?);

-- insertHistoryEntries
insert into "history_tags" ("history_id", "tag")
select value->>0 as "history_id", value->>1 as "tag"
from jsonb_each(+?);

-- setBadges
update "devices"
set "badge" = coalesce("changed"."badge", "devices"."badge")
from (
	select value->>0 as "id", value->>1 as "badge"
	from jsonb_each(+?)
) as changed
where "devices"."id" = "changed"."id";

-- insertMessages
insert into "messages" ("account_id", "history_id", "kind", "content_json", "actions_json", "lane", "created_at", "expires_at")
select value->>0 as "account_id", value->>1 as "history_id", value->>2 as "kind", value->>3 as "content_json", value->>4 as "actions_json", value->>5 as "lane", value->>6 as "created_at", value->>7 as "expires_at"
from jsonb_each(+?)
returning "id";

-- insertDeliveries
insert into "deliveries" ("message_id", "state", "next_attempt_at", "leased_until", "lane", "replaceable", "muted", "held", "device_id")
select value->>0 as "message_id", value->>1 as "state", value->>2 as "next_attempt_at", value->>3 as "leased_until", value->>4 as "lane", value->>5 as "replaceable", value->>6 as "muted", value->>7 as "held", value->>8 as "device_id"
from jsonb_each(+?)
returning "id";

-- supersedeAll
update "deliveries"
set "state" = 'superseded', "leased_until" = null
where "state" || '' in ('pending')
	and "id" in (
		select value
		from json_each(+?)
	);

-- planSummaries
insert into quiet_summaries (device_id, account_id, first_delivery_id, due_at)
select value->>0 as "device_id", value->>1 as "account_id", value->>2 as "first_delivery_id", value->>3 as "due_at"
from jsonb_each(+?)
where true
on conflict (device_id) do update
set due_at = excluded.due_at, first_delivery_id = case when excluded.first_delivery_id < quiet_summaries.first_delivery_id then excluded.first_delivery_id else quiet_summaries.first_delivery_id end;

-- addUsage
insert into "usage" ("account_id", "period", "sends")
select value->>0 as "account_id", value->>1 as "period", value->>2 as "sends"
from jsonb_each(+?)
where true
on conflict ("account_id", "period") do update
set "sends" = "usage"."sends" + "excluded"."sends";

-- findKeptResponses
select "id", "channels_json", "tags_json", "created_at", "idempotency_key", "kept_json"
from "history"
where "idempotency_key" is not null
	and "idempotency_key" in (
		select value
		from json_each(+?)
	)
order by "created_at";

-- insertRepeats
insert into "repeats" ("id", "account_id", "message_id", "every_ms", "times_left", "next_at", "ended_at", "end_reason")
select value->>0 as "id", value->>1 as "account_id", value->>2 as "message_id", value->>3 as "every_ms", value->>4 as "times_left", value->>5 as "next_at", value->>6 as "ended_at", value->>7 as "end_reason"
from jsonb_each(+?);

-- updateImage
update "images"
set "history_id" = +?
where "account_id" = +?
	and "path_hash" = +?;
