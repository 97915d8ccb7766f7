-- metricsWithKeys
select "metrics"."account_id", "metrics"."key", "metrics"."measured_at"
from (
	select "account_id", "key"
	from json_populate_recordset(null::"metrics", $1::json)
) as asked
cross join "metrics"
where "metrics"."account_id" = "asked"."account_id"
	and "metrics"."key" = "asked"."key";

-- storeMetricValues
update "metrics"
set "value_json" = coalesce("changed"."value_json", "metrics"."value_json"), "measured_at" = coalesce("changed"."measured_at", "metrics"."measured_at")
from (
	select "account_id", "key", "value_json", "measured_at"
	from json_populate_recordset(null::"metrics", $1::json)
) as changed
where "metrics"."account_id" = "changed"."account_id"
	and "metrics"."key" = "changed"."key";

-- storeMetricValues
insert into "metric_values" ("account_id", "metric_key", "value_json", "measured_at")
select "account_id", "metric_key", "value_json", "measured_at"
from json_populate_recordset(null::"metric_values", $1::json);

-- storeMetricValues
delete from metric_values
where id = any(array(
	select oldest.id
	from (
		select "account_id", "key"
		from json_populate_recordset(null::"metrics", $1::json)
	) as asked
	cross join lateral (
		select id
		from metric_values
		where account_id = asked.account_id
			and metric_key = asked.key
		order by id desc offset 100
	) as oldest
));

-- requestWidgetReloads
update "widget_reloads"
set "changed" = "changed" + 1
where "account_id" = any(array(
	select value::text
	from jsonb_array_elements_text($1::jsonb) as value
));

-- addRequestCounts
insert into "request_counts" ("account_id", "hour", "feature", "status", "requests")
select "account_id", "hour", "feature", "status", "requests"
from json_populate_recordset(null::"request_counts", $1::json)
where true
on conflict ("account_id", "hour", "feature", "status") do update
set "requests" = "request_counts"."requests" + "excluded"."requests";

-- addRequestCounts
delete from "request_counts"
where "hour" < $1;
