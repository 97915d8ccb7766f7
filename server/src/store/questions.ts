import { INBOX_COLUMNS } from './phones/inbox.ts';
import { type RawBuilder, sql, type SqlBool } from 'kysely';
import { dueRows } from './due.ts';
import { findBy, updateBy } from './engine/by-key.ts';
import { insertStatement } from './engine/json-rows.ts';
import { isAmong, statement } from './engine/statement.ts';
import { LIMITED } from './keys-and-channels/api-keys.ts';
import { columnsOf, type Db } from './schema.ts';

export const insertQuestions = insertStatement(
	'questions',
	columnsOf('questions', 'callback_tries'),
);

export const insertQuestionPeople = insertStatement('question_people', ['question_id', 'user_id']);

/** The people of accounts with these names. */
export const peopleNamed = statement(
	(db: Db, params: { accountIds: readonly string[]; names: readonly string[] }) =>
		db
			.selectFrom('users')
			.select(['id', 'account_id', 'name'])
			.where(isAmong(db, 'account_id', params.accountIds))
			.where(isAmong(db, 'name', params.names))
			.where('removed_at', 'is', null),
);

/** For each account with open questions: their number, and how many belong to keys limited to channels. */
export const countOpen = statement((db: Db, params: { accountIds: readonly string[] }) =>
	db
		.selectFrom('questions')
		.leftJoin('api_keys', 'api_keys.id', 'questions.api_key_id')
		.select(['questions.account_id', ({ fn }) => fn.countAll<number>().as('all'), LIMITED])
		.where(isAmong(db, 'questions.account_id', params.accountIds))
		.where('questions.ended_at', 'is', null)
		.groupBy('questions.account_id'),
);

export const updateQuestion = updateBy('questions', 'id');

/** A question with its title, its channels, the content that phones show, and the name of the key that asked. */
export type ListedQuestion = Awaited<ReturnType<typeof listQuestions>>[number];

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
export function listQuestions(db: Db, accountId: string, filter: Filter) {
	const { isOpen, keyId, ids, after, limit } = filter;
	return (
		db
			.selectFrom('questions')
			.innerJoin('history', 'history.id', 'questions.id')
			.innerJoin('messages', 'messages.id', 'questions.message_id')
			.leftJoin('api_keys', 'api_keys.id', 'questions.api_key_id')
			.selectAll('questions')
			// `sent_at` is by the server's clock; `created_at` by the one that decides deadlines.
			.select(['history.title', 'history.channels_json', 'history.created_at as sent_at'])
			.select(['messages.content_json', 'api_keys.name as key_name'])
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
			.execute()
	);
}

/** The metadata of the open questions that a key has asked. */
export function metadataOfOpen(db: Db, asker: { accountId: string; keyId: string | null }) {
	const { accountId, keyId } = asker;
	return db
		.selectFrom('questions')
		.innerJoin('history', 'history.id', 'questions.id')
		.select(['questions.id', 'history.metadata_json'])
		.where('questions.account_id', '=', accountId)
		.where('questions.ended_at', 'is', null)
		.where('questions.api_key_id', keyId === null ? 'is' : '=', keyId)
		.execute();
}

/** The people who may answer restricted questions, without removed ones. */
export const peopleOfQuestions = statement((db: Db, params: { questionIds: readonly string[] }) =>
	db
		.selectFrom('question_people')
		.innerJoin('users', 'users.id', 'question_people.user_id')
		.select(['question_people.question_id', 'users.id', 'users.name'])
		.where(isAmong(db, 'question_people.question_id', params.questionIds))
		.where('users.removed_at', 'is', null)
		.orderBy('users.name'),
);

/** Lets a person answer in place of another who is merged into them. */
export async function movePeopleOfQuestions(db: Db, from: string, into: string) {
	await sql`
		insert into question_people (question_id, user_id)
		select question_id, ${into} from question_people where user_id = ${from}
		on conflict do nothing`.execute(db);
}

/** The questions on a phone's lock screen: open ones, and those that ended after `since`, newest first. */
export function questionsOnScreen(
	db: Db,
	device: { id: string; account_id: string },
	since: number,
) {
	const { id: deviceId, account_id: accountId } = device;
	// Each from its own index.
	const some = (condition: RawBuilder<SqlBool>) =>
		db
			.selectFrom('questions')
			// SQLite keeps this order: from the few questions to their deliveries.
			.crossJoin('deliveries')
			.innerJoin('messages', 'messages.id', 'deliveries.message_id')
			.select(INBOX_COLUMNS)
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

/** Takes the questions that ended after `since` off a phone. @returns their deliveries up to the given one */
export async function dismissEndedQuestions(
	db: Db,
	device: { id: string; account_id: string },
	{ since, upTo, now }: { since: number; upTo: number; now: number },
) {
	const rows = await db
		.updateTable('deliveries')
		.set({ dismissed_at: now })
		.where('device_id', '=', device.id)
		.where('message_id', 'in', (eb) =>
			eb
				.selectFrom('questions')
				.select('message_id')
				.where('account_id', '=', device.account_id)
				.where('ended_at', '>', since),
		)
		.where('id', '<=', upTo)
		.where('dismissed_at', 'is', null)
		.returning('id')
		.execute();
	return rows.map(({ id }) => id);
}

/** The delivery of a question to a phone, even if the phone has dismissed it. */
export const deliveryOfQuestion = findBy('deliveries', 'message_id', 'device_id');

/** The open questions with something due. */
export const dueQuestions = dueRows('questions', { key: ['id'], at: 'due_at' });

/** The questions whose callbacks are due, each the one of the key that asked it. */
export const dueCallbacks = dueRows('questions', {
	key: ['id'],
	at: 'callback_at',
	owner: 'api_key_id',
});

/** Ends the reminders and escalations of what a key has asked; the questions stay open. */
export async function endFollowUpsOfKey(db: Db, accountId: string, keyId: string) {
	await db
		.updateTable('questions')
		.set((eb) => ({ remind_at: null, escalate_at: null, due_at: eb.ref('deadline_at') }))
		.where('account_id', '=', accountId)
		.where('api_key_id', '=', keyId)
		.where('ended_at', 'is', null)
		.execute();
}

/** The number of open questions that each key has asked. */
export async function openQuestionsByKey(db: Db, accountId: string) {
	const rows = await db
		.selectFrom('questions')
		.select(['api_key_id', ({ fn }) => fn.countAll<number>().as('open')])
		.where('account_id', '=', accountId)
		.where('ended_at', 'is', null)
		.groupBy('api_key_id')
		.execute();
	return new Map(rows.flatMap(({ api_key_id: id, open }) => (id === null ? [] : [[id, open]])));
}

/** For the operator: questions that ended since then, and whose callbacks were given up. */
export async function callbacksGivenUpSince(db: Db, since: number): Promise<string[]> {
	const ended = db.selectFrom('questions').select('id').where('ended_at', '>', since);
	return (await ended.where('callback', '=', 'refused').execute()).map(({ id }) => id);
}
