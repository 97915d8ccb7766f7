import { type RawBuilder, sql, type SqlBool } from 'kysely';
import { updateBy } from './engine/by-key.ts';
import { isPostgres } from './engine/dialect.ts';
import { insertStatement } from './engine/json-rows.ts';
import { isAmong, statement } from './engine/statement.ts';
import type { InboxEntry } from './phones/inbox.ts';
import { columnsOf, type Db, type QuestionRow, type User } from './schema.ts';

/** Milliseconds since 1970 by the clock that all servers of a database share; undefined: there is one server. */
export async function sharedTime(db: Db): Promise<number | undefined> {
	if (!isPostgres(db)) return undefined;
	const { rows } = await sql<{ now: number }>`
		select (extract(epoch from clock_timestamp()) * 1000)::bigint as now`.execute(db);
	return rows[0]?.now;
}

export const insertQuestions = insertStatement(
	'questions',
	columnsOf('questions').filter((column) => column !== 'callback_tries'),
);

export const insertQuestionPeople = insertStatement('question_people', ['question_id', 'user_id']);

/** The people of accounts with these names. */
export const peopleNamed = statement<
	{ accountIds: readonly string[]; names: readonly string[] },
	Pick<User, 'id' | 'account_id' | 'name'>
>((db, params) =>
	db
		.selectFrom('users')
		.select(['id', 'account_id', 'name'])
		.where(isAmong(db, 'account_id', params.accountIds))
		.where(isAmong(db, 'name', params.names))
		.where('removed_at', 'is', null),
);

/** The number of open questions of each account that has any. */
export const countOpen = statement<
	{ accountIds: readonly string[] },
	{ account_id: string; open: number }
>((db, params) =>
	db
		.selectFrom('questions')
		.select(['account_id', ({ fn }) => fn.countAll<number>().as('open')])
		.where(isAmong(db, 'account_id', params.accountIds))
		.where('ended_at', 'is', null)
		.groupBy('account_id'),
);

export const updateQuestion = updateBy('questions', 'id');

/** A question with its title, and the content that phones show. */
export type ReadQuestion = QuestionRow & {
	title: string;
	content_json: string;
	key_name: string | null;
};

interface Filter {
	/** undefined: open and ended ones. */
	isOpen?: boolean;
	/** The key that asked; null: the console; undefined: anybody. */
	keyId?: string | null | undefined;
	ids?: readonly string[];
	/** The question before the part. */
	after?: string | undefined;
	limit: number;
}

/** Questions of an account, newest first. */
export function readQuestions(
	db: Db,
	accountId: string,
	{ isOpen, keyId, ids, after, limit }: Filter,
): Promise<ReadQuestion[]> {
	return db
		.selectFrom('questions')
		.innerJoin('history', 'history.id', 'questions.id')
		.innerJoin('messages', 'messages.id', 'questions.message_id')
		.leftJoin('api_keys', 'api_keys.id', 'questions.api_key_id')
		.selectAll('questions')
		.select(['history.title', 'messages.content_json', 'api_keys.name as key_name'])
		.where('questions.account_id', '=', accountId)
		.$if(isOpen !== undefined, (query) =>
			query.where('questions.ended_at', isOpen === true ? 'is' : 'is not', null),
		)
		.$if(keyId !== undefined, (query) =>
			query.where('questions.api_key_id', keyId === null ? 'is' : '=', keyId ?? null),
		)
		.$if(ids !== undefined, (query) => query.where(isAmong(db, 'questions.id', ids ?? [])))
		.$if(after !== undefined, (query) => query.where('questions.id', '<', after ?? ''))
		.orderBy('questions.id', 'desc')
		.limit(limit)
		.execute();
}

/** The people who may answer restricted questions, without removed ones. */
export const peopleOfQuestions = statement<
	{ questionIds: readonly string[] },
	{ question_id: string; id: string; name: string }
>((db, params) =>
	db
		.selectFrom('question_people')
		.innerJoin('users', 'users.id', 'question_people.user_id')
		.select(['question_people.question_id', 'users.id', 'users.name'])
		.where(isAmong(db, 'question_people.question_id', params.questionIds))
		.where('users.removed_at', 'is', null)
		.orderBy('users.name'),
);

/** Lets a person answer instead of another, with whom they are merged. */
export async function movePeopleOfQuestions(db: Db, from: string, into: string): Promise<void> {
	await sql`
		insert into question_people (question_id, user_id)
		select question_id, ${into} from question_people where user_id = ${from}
		on conflict do nothing`.execute(db);
}

/** The questions on a phone's lock screen: open ones, and those that ended after `since`, newest first. */
export function questionsOnScreen(
	db: Db,
	{ id: deviceId, account_id: accountId }: { id: string; account_id: string },
	since: number,
): Promise<InboxEntry[]> {
	// Each from its own index.
	const some = (condition: RawBuilder<SqlBool>) =>
		db
			.selectFrom('questions')
			// SQLite keeps this order: from the few questions to their deliveries.
			.crossJoin('deliveries')
			.innerJoin('messages', 'messages.id', 'deliveries.message_id')
			.select([
				'deliveries.id',
				'deliveries.muted',
				'deliveries.held',
				'deliveries.push_delivery_id',
			])
			.select(['messages.kind', 'messages.content_json', 'messages.created_at'])
			.where('questions.account_id', '=', accountId)
			.where(condition)
			.whereRef('deliveries.message_id', '=', 'questions.message_id')
			.where('deliveries.device_id', '=', deviceId)
			.where('deliveries.dismissed_at', 'is', null)
			.where('deliveries.muted', '=', 0)
			.where('deliveries.state', '!=', 'failed');
	return db
		.selectFrom(some(sql`questions.ended_at is null`).as('open'))
		.selectAll()
		.unionAll(db.selectFrom(some(sql`questions.ended_at > ${since}`).as('ended')).selectAll())
		.orderBy('id', 'desc')
		.execute();
}

/** True if the phone got the question, even if it has dismissed it. */
export async function hasQuestion(db: Db, deviceId: string, messageId: number): Promise<boolean> {
	const row = await db
		.selectFrom('deliveries')
		.select('id')
		.where('message_id', '=', messageId)
		.where('device_id', '=', deviceId)
		.limit(1)
		.executeTakeFirst();
	return row !== undefined;
}

type DueQuestion = Pick<QuestionRow, 'id' | 'account_id'>;

/** The open questions with something due, the longest overdue first. */
export function dueQuestions(db: Db, now: number, limit: number): Promise<DueQuestion[]> {
	return db
		.selectFrom('questions')
		.select(['id', 'account_id'])
		.where('due_at', 'is not', null)
		.where('due_at', '<=', now)
		.orderBy('due_at')
		.orderBy('id')
		.limit(limit)
		.execute();
}

/** The callbacks to make, the longest overdue first, a few of each account: one must not delay the others'. */
export async function dueCallbacks(
	db: Db,
	now: number,
	{ ofAccount, limit }: { ofAccount: number; limit: number },
): Promise<DueQuestion[]> {
	const { rows } = await sql<DueQuestion>`
		select id, account_id from (
			select id, account_id, callback_at,
				row_number() over (partition by account_id order by callback_at) as place
			from questions where callback_at is not null and callback_at <= ${now}
		) as due
		where place <= ${ofAccount} order by callback_at limit ${limit}`.execute(db);
	return rows;
}

/** Ends the reminders and escalations of what a key has asked; the questions stay open. */
export async function quietenQuestionsOfKey(
	db: Db,
	accountId: string,
	keyId: string,
): Promise<void> {
	await db
		.updateTable('questions')
		.set((eb) => ({ remind_at: null, escalate_at: null, due_at: eb.ref('deadline_at') }))
		.where('account_id', '=', accountId)
		.where('api_key_id', '=', keyId)
		.where('ended_at', 'is', null)
		.execute();
}

/** The number of open questions that each key has asked. */
export async function openQuestionsByKey(db: Db, accountId: string): Promise<Map<string, number>> {
	const rows = await db
		.selectFrom('questions')
		.select(['api_key_id', ({ fn }) => fn.countAll<number>().as('open')])
		.where('account_id', '=', accountId)
		.where('ended_at', 'is', null)
		.groupBy('api_key_id')
		.execute();
	return new Map(rows.flatMap(({ api_key_id: id, open }) => (id === null ? [] : [[id, open]])));
}
