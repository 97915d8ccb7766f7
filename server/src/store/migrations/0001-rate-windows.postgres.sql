-- Rate-limit windows of all processes that share a PostgreSQL database; the single process of an embedded
-- store keeps them in memory. UNLOGGED: they are lost if the database crashes, and need no sync.
-- Half-empty pages allow a count to be updated in place.
create unlogged table rate_windows (
	key text primary key,
	opened_at bigint not null,
	ends_at bigint not null,
	used integer not null
) with (fillfactor = 50);

create index rate_windows_by_end on rate_windows (ends_at);

-- Counts many requests at once, each key once with its number of requests: all of them or, if a limit is
-- too small for all, none. `fits` is reported for each key. Rows are locked in the order of their keys, so two
-- calls cannot deadlock: `account:` before `public-api-ip:`, so an address that many share is locked last, for
-- the shortest time. `ends_at` is for the sweep only: a window opened under another setting ends as the present
-- one says.
create function count_rate_windows(
	keys text[], requests integer[], quotas integer[], window_ms bigint, now_ms bigint
) returns table (fits boolean, used integer, opened_at bigint) language plpgsql as $$
#variable_conflict use_column
declare
	fit boolean[];
	counts integer[];
	times bigint[];
begin
	begin
		with counted as (
			insert into rate_windows as open (key, opened_at, ends_at, used)
			select key, now_ms, now_ms + window_ms, more
			from unnest(keys, requests) as asked(key, more) order by key
			on conflict (key) do update set
				used = case when open.opened_at + window_ms > now_ms then open.used else 0 end + excluded.used,
				opened_at = case when open.opened_at + window_ms > now_ms then open.opened_at else now_ms end,
				ends_at = case when open.opened_at + window_ms > now_ms
					then open.ends_at else now_ms + window_ms end
			returning open.key, open.used, open.opened_at
		)
		select array_agg(counted.used <= quota order by place),
			array_agg(counted.used order by place), array_agg(counted.opened_at order by place)
		into fit, counts, times
		from unnest(keys, quotas) with ordinality as asked(key, quota, place)
		join counted using (key);
		if not (true = all (fit)) then
			raise exception using errcode = 'BK001', message = 'exhausted';
		end if;
	exception when sqlstate 'BK001' then
	end;
	return query select * from unnest(fit, counts, times);
end
$$;
