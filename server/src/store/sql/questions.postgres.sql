-- countOpen
select "questions"."account_id", count(*) as "all", count(case when api_keys.scope = 'channels' then 1 end) as "limited"
from "questions"
left join "api_keys" on "api_keys"."id" = "questions"."api_key_id"
where "questions"."account_id" = any(array(
	select value::text
	from jsonb_array_elements_text($1::jsonb) as value
))
	and "questions"."ended_at" is null
group by "questions"."account_id";

-- peopleNamed
select "id", "account_id", "name"
from "users"
where "account_id" = any(array(
	select value::text
	from jsonb_array_elements_text($1::jsonb) as value
))
	and "name" = any(array(
		select value::text
		from jsonb_array_elements_text($2::jsonb) as value
	))
	and "removed_at" is null;

-- listQuestions
select "questions".*, "history"."title", "history"."channels_json", "history"."created_at" as "sent_at", "messages"."content_json", "api_keys"."name" as "key_name"
from "questions"
inner join "history" on "history"."id" = "questions"."id"
inner join "messages" on "messages"."id" = "questions"."message_id"
left join "api_keys" on "api_keys"."id" = "questions"."api_key_id"
where "questions"."account_id" = $1
	and "questions"."id" = any(array(
		select value::text
		from jsonb_array_elements_text($2::jsonb) as value
	))
order by "questions"."id" desc
limit $3;

-- peopleOfQuestions
select "question_people"."question_id", "users"."id", "users"."name"
from "question_people"
inner join "users" on "users"."id" = "question_people"."user_id"
where "question_people"."question_id" = any(array(
	select value::text
	from jsonb_array_elements_text($1::jsonb) as value
))
	and "users"."removed_at" is null
order by "users"."name";

-- questionsOnScreen
select *
from (
	select "deliveries"."id", "deliveries"."muted", "deliveries"."held", "deliveries"."push_delivery_id", "messages"."kind", "messages"."content_json", "messages"."created_at"
	from "questions"
	cross join "deliveries"
	inner join "messages" on "messages"."id" = "deliveries"."message_id"
	where "questions"."account_id" = $1
		and questions.ended_at is null
		and "deliveries"."message_id" = "questions"."message_id"
		and "deliveries"."device_id" = $2
		and "deliveries"."dismissed_at" is null
		and "deliveries"."muted" = $3
		and "deliveries"."state" != $4
) as "open"
union all
select *
from (
	select "deliveries"."id", "deliveries"."muted", "deliveries"."held", "deliveries"."push_delivery_id", "messages"."kind", "messages"."content_json", "messages"."created_at"
	from "questions"
	cross join "deliveries"
	inner join "messages" on "messages"."id" = "deliveries"."message_id"
	where "questions"."account_id" = $5
		and questions.ended_at > $6
		and "deliveries"."message_id" = "questions"."message_id"
		and "deliveries"."device_id" = $7
		and "deliveries"."dismissed_at" is null
		and "deliveries"."muted" = $8
		and "deliveries"."state" != $9
) as "ended"
order by "id" desc;

-- deliveryOfQuestion
select *
from "deliveries"
where "message_id" = $1
	and "device_id" = $2;

-- receiversOfPeople
select distinct "deliveries"."message_id", "devices"."id", "devices"."user_id"
from "devices"
cross join "deliveries"
where "devices"."user_id" = any(array(
	select value::text
	from jsonb_array_elements_text($1::jsonb) as value
))
	and "devices"."status" = 'active'
	and "deliveries"."message_id" = any(array(
		select value::bigint
		from jsonb_array_elements_text($2::jsonb) as value
	))
	and "deliveries"."device_id" = "devices"."id";

-- updateQuestion
update "questions"
set "status" = $1
where "id" = $2;
