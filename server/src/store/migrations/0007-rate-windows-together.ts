import { type Kysely, sql } from 'kysely';
import { isPostgres } from '../engine/dialect.ts';

/**
 * Counts many requests at a time, each key once with the number of requests that it has; all of them,
 * or, where a limit is too small for all, none. `fits` tells for each key.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
	if (!isPostgres(db)) return;
	await sql`
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
						used = case when open.ends_at > now_ms then open.used else 0 end + excluded.used,
						opened_at = case when open.ends_at > now_ms then open.opened_at else now_ms end,
						ends_at = case when open.ends_at > now_ms
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
		$$`.execute(db);
}
