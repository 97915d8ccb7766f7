-- countOpen
select "account_id", count(*) as "open"
from "questions"
where "account_id" = any(array(
	select value::text
	from jsonb_array_elements_text($1::jsonb) as value
))
	and "ended_at" is null
group by "account_id";

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

-- readQuestions
select "questions".*, "history"."title", "messages"."content_json", "api_keys"."name" as "key_name"
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

-- hasQuestion
select "id"
from "deliveries"
where "message_id" = $1
	and "device_id" = $2
limit $3;

-- updateQuestion
update "questions"
set "status" = $1
where "id" = $2;

-- dueQuestions
select "id", "account_id"
from "questions"
where "due_at" is not null
	and "due_at" <= $1
order by "due_at", "id"
limit $2;

-- dueCallbacks
select id, account_id
from (
	select id, account_id, callback_at, row_number() over (partition by account_id
	order by callback_at) as place
	from questions
	where callback_at is not null
		and callback_at <= $1
) as due
where place <= $2
order by callback_at
limit $3;
