-- +? is a parameter that does not make SQLite plan the statement anew: engine/sqlite/database.ts, SqliteWithStablePlans.

-- countOpen
select "questions"."account_id", count(*) as "all", count(case when api_keys.scope = 'channels' then 1 end) as "limited"
from "questions"
left join "api_keys" on "api_keys"."id" = "questions"."api_key_id"
where "questions"."account_id" in (
	select value
	from json_each(+?)
)
	and "questions"."ended_at" is null
group by "questions"."account_id";

-- peopleNamed
select "id", "account_id", "name"
from "users"
where "account_id" in (
	select value
	from json_each(+?)
)
	and "name" in (
		select value
		from json_each(+?)
	)
	and "removed_at" is null;

-- listQuestions
select "questions".*, "history"."title", "history"."channels_json", "history"."created_at" as "sent_at", "messages"."content_json", "api_keys"."name" as "key_name"
from "questions"
inner join "history" on "history"."id" = "questions"."id"
inner join "messages" on "messages"."id" = "questions"."message_id"
left join "api_keys" on "api_keys"."id" = "questions"."api_key_id"
where "questions"."account_id" = +?
	and "questions"."id" in (
		select value
		from json_each(+?)
	)
order by "questions"."id" desc
limit +?;

-- peopleOfQuestions
select "question_people"."question_id", "users"."id", "users"."name"
from "question_people"
inner join "users" on "users"."id" = "question_people"."user_id"
where "question_people"."question_id" in (
	select value
	from json_each(+?)
)
	and "users"."removed_at" is null
order by "users"."name";

-- questionsOnScreen
select *
from (
	select "deliveries"."id", "deliveries"."muted", "deliveries"."held", "deliveries"."push_delivery_id", "messages"."kind", "messages"."content_json", "messages"."created_at"
	from "questions"
	cross join "deliveries"
	inner join "messages" on "messages"."id" = "deliveries"."message_id"
	where "questions"."account_id" = +?
		and questions.ended_at is null
		and "deliveries"."message_id" = "questions"."message_id"
		and "deliveries"."device_id" = +?
		and "deliveries"."dismissed_at" is null
		and "deliveries"."muted" = +?
		and "deliveries"."state" != +?
) as "open"
union all
select *
from (
	select "deliveries"."id", "deliveries"."muted", "deliveries"."held", "deliveries"."push_delivery_id", "messages"."kind", "messages"."content_json", "messages"."created_at"
	from "questions"
	cross join "deliveries"
	inner join "messages" on "messages"."id" = "deliveries"."message_id"
	where "questions"."account_id" = +?
		and questions.ended_at > +?
		and "deliveries"."message_id" = "questions"."message_id"
		and "deliveries"."device_id" = +?
		and "deliveries"."dismissed_at" is null
		and "deliveries"."muted" = +?
		and "deliveries"."state" != +?
) as "ended"
order by "id" desc;

-- deliveryOfQuestion
select *
from "deliveries"
where "message_id" = +?
	and "device_id" = +?;

-- receiversOfPeople
select distinct "deliveries"."message_id", "devices"."id", "devices"."user_id"
from "devices"
cross join "deliveries"
where "devices"."user_id" in (
	select value
	from json_each(+?)
)
	and "devices"."status" = 'active'
	and "deliveries"."message_id" in (
		select value
		from json_each(+?)
	)
	and "deliveries"."device_id" = "devices"."id";

-- updateQuestion
update "questions"
set "status" = +?
where "id" = +?;
