-- +? is a parameter that does not make SQLite plan the statement anew: engine/sqlite/database.ts, SqliteWithStablePlans.

-- metricsWithKeys
select "metrics"."account_id", "metrics"."key", "metrics"."measured_at"
from (
	select value->>0 as "account_id", value->>1 as "key"
	from jsonb_each(+?)
) as asked
cross join "metrics"
where "metrics"."account_id" = "asked"."account_id"
	and "metrics"."key" = "asked"."key";

-- storeMetricValues
update "metrics"
set "value_json" = coalesce("changed"."value_json", "metrics"."value_json"), "measured_at" = coalesce("changed"."measured_at", "metrics"."measured_at")
from (
	select value->>0 as "account_id", value->>1 as "key", value->>2 as "value_json", value->>3 as "measured_at"
	from jsonb_each(+?)
) as changed
where "metrics"."account_id" = "changed"."account_id"
	and "metrics"."key" = "changed"."key";

-- storeMetricValues
insert into "metric_values" ("account_id", "metric_key", "value_json", "measured_at")
select value->>0 as "account_id", value->>1 as "metric_key", value->>2 as "value_json", value->>3 as "measured_at"
from jsonb_each(+?);

-- storeMetricValues
delete from metric_values
where id in (
	select oldest.id
	from (
		select value->>0 as "account_id", value->>1 as "key"
		from jsonb_each(+?)
	) as asked
	cross join metric_values as oldest
	where oldest.account_id = asked.account_id
		and oldest.metric_key = asked.key
		and oldest.id <= (
			select newer.id
			from metric_values as newer
			where newer.account_id = asked.account_id
				and newer.metric_key = asked.key
			order by newer.id desc
			limit 1 offset 100
		)
);

-- requestWidgetReloads
update "widget_reloads"
set "changed" = "changed" + 1
where "account_id" in (
	select value
	from json_each(+?)
);

-- addRequestCounts
insert into "request_counts" ("account_id", "hour", "feature", "status", "requests")
select value->>0 as "account_id", value->>1 as "hour", value->>2 as "feature", value->>3 as "status", value->>4 as "requests"
from jsonb_each(+?)
where true
on conflict ("account_id", "hour", "feature", "status") do update
set "requests" = "request_counts"."requests" + "excluded"."requests";

-- addRequestCounts
delete from "request_counts"
where "hour" < +?;
