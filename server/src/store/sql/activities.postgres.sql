-- streamsByKey
select "streams"."account_id", "streams"."stream_key", "streams"."activity_id", "streams"."state_json", "streams"."actions_json", "streams"."tags_json", "streams"."channels_json", "streams"."paused_at", "streams"."updated_at"
from (
	select "account_id", "stream_key"
	from json_populate_recordset(null::"streams", $1::json)
) as asked
cross join "streams"
where "streams"."account_id" = "asked"."account_id"
	and "streams"."stream_key" = "asked"."stream_key";

-- activitiesById
select "activities"."id", "activities"."account_id", "activities"."stream_key", "activities"."state_json", "activities"."actions_json", "activities"."channels_json", "activities"."started_at", "activities"."updated_at", "activities"."ended_at", "activities"."end_reason", "activities"."dismiss_at", "history"."tags_json", "history"."api_key_id"
from "activities"
inner join "history" on "history"."id" = "activities"."id"
where "activities"."id" = any(array(
	select value::text
	from jsonb_array_elements_text($1::jsonb) as value
));

-- devicesShowing
select "activity_devices"."activity_id", "activity_devices"."token", "devices"."id", "devices"."status", "user_id", "platform", "push_token", "push_to_start_token", "push_environment", "push_subscription_json", "badge", "quiet_json", "failed_at", "app_json"
from "activity_devices"
inner join "devices" on "devices"."id" = "activity_devices"."device_id"
where "activity_devices"."activity_id" = any(array(
	select value::text
	from jsonb_array_elements_text($1::jsonb) as value
))
	and "activity_devices"."dismissed_at" is null
order by "devices"."id";

-- runningCounts
select "activity_devices"."device_id", count(*) as "count"
from "activities"
inner join "activity_devices" on "activity_devices"."activity_id" = "activities"."id"
where "activities"."account_id" = any(array(
	select value::text
	from jsonb_array_elements_text($1::jsonb) as value
))
	and "activities"."ended_at" is null
	and "activities"."started_at" > $2
	and "activity_devices"."dismissed_at" is null
group by "activity_devices"."device_id";

-- runningOn
select distinct activities.id
from (
	select "device_id"
	from json_populate_recordset(null::"activity_devices", $1::json)
) as asked
cross join activity_devices
cross join activities
where activity_devices.device_id = asked.device_id
	and activity_devices.dismissed_at is null
	and activities.id = activity_devices.activity_id
	and activities.ended_at is null;

-- insertActivities
insert into "activities" ("id", "account_id", "stream_key", "state_json", "actions_json", "channels_json", "started_at", "updated_at", "ended_at", "end_reason", "dismiss_at")
select "id", "account_id", "stream_key", "state_json", "actions_json", "channels_json", "started_at", "updated_at", "ended_at", "end_reason", "dismiss_at"
from json_populate_recordset(null::"activities", $1::json);

-- insertActivityDevices
insert into "activity_devices" ("activity_id", "device_id")
select "activity_id", "device_id"
from json_populate_recordset(null::"activity_devices", $1::json);

-- updateActivities
update "activities"
set "state_json" = coalesce("changed"."state_json", "activities"."state_json"), "actions_json" = coalesce("changed"."actions_json", "activities"."actions_json"), "updated_at" = coalesce("changed"."updated_at", "activities"."updated_at")
from (
	select "id", "state_json", "actions_json", "updated_at"
	from json_populate_recordset(null::"activities", $1::json)
) as changed
where "activities"."id" = "changed"."id";

-- endActivities
update "activities"
set "state_json" = coalesce("changed"."state_json", "activities"."state_json"), "actions_json" = coalesce("changed"."actions_json", "activities"."actions_json"), "updated_at" = coalesce("changed"."updated_at", "activities"."updated_at"), "ended_at" = coalesce("changed"."ended_at", "activities"."ended_at"), "end_reason" = coalesce("changed"."end_reason", "activities"."end_reason"), "dismiss_at" = coalesce("changed"."dismiss_at", "activities"."dismiss_at")
from (
	select "id", "state_json", "actions_json", "updated_at", "ended_at", "end_reason", "dismiss_at"
	from json_populate_recordset(null::"activities", $1::json)
) as changed
where "activities"."id" = "changed"."id";

-- changeHistoryEntries
update "history"
set "title" = coalesce("changed"."title", "history"."title"), "tags_json" = coalesce("changed"."tags_json", "history"."tags_json"), "metadata_json" = coalesce("changed"."metadata_json", "history"."metadata_json"), "ended_at" = coalesce("changed"."ended_at", "history"."ended_at")
from (
	select "id", "title", "tags_json", "metadata_json", "ended_at"
	from json_populate_recordset(null::"history", $1::json)
) as changed
where "history"."id" = "changed"."id";

-- changeHistoryEntries
delete from "history_tags"
where ("history_id") in (
	select "history_id"
	from json_populate_recordset(null::"history_tags", $1::json)
);

-- changeHistoryEntries
insert into "history_tags" ("history_id", "tag")
select "history_id", "tag"
from json_populate_recordset(null::"history_tags", $1::json);

-- saveStreams
insert into "streams" ("account_id", "stream_key", "activity_id", "state_json", "actions_json", "tags_json", "channels_json", "paused_at", "updated_at")
select "account_id", "stream_key", "activity_id", "state_json", "actions_json", "tags_json", "channels_json", "paused_at", "updated_at"
from json_populate_recordset(null::"streams", $1::json)
where true
on conflict ("account_id", "stream_key") do update
set "activity_id" = "excluded"."activity_id", "state_json" = "excluded"."state_json", "actions_json" = "excluded"."actions_json", "tags_json" = "excluded"."tags_json", "channels_json" = "excluded"."channels_json", "paused_at" = "excluded"."paused_at", "updated_at" = "excluded"."updated_at";

-- deleteStreams
delete from "streams"
where ("account_id", "stream_key") in (
	select "account_id", "stream_key"
	from json_populate_recordset(null::"streams", $1::json)
);

-- detachActivities
update "streams"
set "activity_id" = null
where "activity_id" = any(array(
	select value::text
	from jsonb_array_elements_text($1::jsonb) as value
));

-- queueForTokens
update "activity_devices"
set "queued_message_id" = coalesce("changed"."queued_message_id", "activity_devices"."queued_message_id")
from (
	select "activity_id", "device_id", "queued_message_id"
	from json_populate_recordset(null::"activity_devices", $1::json)
) as changed
where "activity_devices"."activity_id" = "changed"."activity_id"
	and "activity_devices"."device_id" = "changed"."device_id";

-- registerActivityToken
select *
from "activity_devices"
where "activity_id" = $1
	and "device_id" = $2;

-- registerActivityToken
update "activity_devices"
set "token" = $1, "queued_message_id" = $2
where "activity_id" = $3
	and "device_id" = $4;

-- deleteQuietStreams
delete from streams
where coalesce(activity_id, '') = ''
	and paused_at is null
	and updated_at < $1
	and (account_id, stream_key) in (
		select account_id, stream_key
		from streams
		where coalesce(activity_id, '') = ''
			and paused_at is null
			and updated_at < $2
		limit 10
	);
