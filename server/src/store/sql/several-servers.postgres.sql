-- commitSetOnPostgres
begin;
select pg_current_xact_id()::text as id, place, pg_try_advisory_xact_lock(key) as is_locked
from (values (0, 3512374542184960532)) as accounts(place, key);

-- commitSetOnPostgres
commit;

-- commitOnPostgres
begin;
select pg_advisory_xact_lock(3512374542184960532), pg_current_xact_id()::text as id;

-- commitOnPostgres
commit;

-- RateWindowsInPostgres.consume
select fits, used, opened_at
from count_rate_windows( $1::text[], $2::integer[], $3::integer[], $4::bigint, $5::bigint);
