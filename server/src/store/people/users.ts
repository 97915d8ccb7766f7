import { type Insertable, sql } from 'kysely';
import { updateBy } from '../engine/by-key.ts';
import { movePeopleOfQuestions } from '../questions.ts';
import type { Db, Tables, UserRow } from '../schema.ts';
import { eachWord, isLike, listPart, type Part } from '../list-pages.ts';

/** Users who have not been removed. Removed ones appear only in the history. */
const present = (db: Db, accountId: string) =>
	db
		.selectFrom('users')
		.selectAll()
		.where('account_id', '=', accountId)
		.where('removed_at', 'is', null);

export const listUsers = (db: Db, accountId: string) => present(db, accountId).execute();

/** Also those who have been removed. */
export const listUsersEver = (db: Db, accountId: string) =>
	db.selectFrom('users').selectAll().where('account_id', '=', accountId).execute();

export async function insertUser(db: Db, user: Insertable<Tables['users']>) {
	await giveUpName(db, user.account_id, user.name);
	return db.insertInto('users').values(user).returningAll().executeTakeFirstOrThrow();
}

export function userByName(db: Db, accountId: string, name: string) {
	return present(db, accountId).where('name', '=', name).executeTakeFirst();
}

export function userById(db: Db, accountId: string, id: string) {
	return present(db, accountId).where('id', '=', id).executeTakeFirst();
}

/** The names of the people who have not been removed. */
export function peoplePart(db: Db, part: Part) {
	return listPart(present(db, part.accountId).clearSelect().select('name'), 'name', part);
}

/** The users with the address of their member, if any, and the number of their connected phones. */
export function queryUsers(db: Db, accountId: string, search = '') {
	const member = sql<string | null>`(select email from members where user_id = users.id limit 1)`;
	const phones = sql<number>`(
		select count(*) from devices where user_id = users.id and status = 'active')`;
	return present(db, accountId)
		.select([member.as('member'), phones.as('phones')])
		.where((eb) => eb.and(eachWord(search, (like) => [isLike(db, 'users.name', like)])))
		.orderBy('created_at')
		.orderBy('id');
}

/** The user created with the account, otherwise the oldest one. */
export function firstUser(db: Db, accountId: string) {
	return present(db, accountId)
		.orderBy(
			sql`case when email = (select owner_email from accounts where id = ${accountId}) then 0 else 1 end`,
		)
		.orderBy('created_at')
		.limit(1)
		.executeTakeFirst();
}

export async function renameUser(db: Db, user: Pick<UserRow, 'id' | 'account_id'>, name: string) {
	const { id, account_id: accountId } = user;
	await giveUpName(db, accountId, name);
	await updateUser(db, id, { name });
}

export const updateUser = updateBy('users', 'id');

/** Names are unique in an account: a removed user loses theirs when another user takes it. */
async function giveUpName(db: Db, accountId: string, name: string) {
	await db
		.updateTable('users')
		.set({ name: sql<string>`name || ' ' || id` })
		.where('account_id', '=', accountId)
		.where('name', '=', name)
		.where('removed_at', 'is not', null)
		.execute();
}

/**
 * Moves what one user has (phones, channels, questions, snoozed pushes, pairing codes) to another, and deletes the
 * first.
 */
export async function mergeUsers(db: Db, from: string, into: string) {
	await db.updateTable('devices').set({ user_id: into }).where('user_id', '=', from).execute();
	await db.updateTable('pair_codes').set({ user_id: into }).where('user_id', '=', from).execute();
	await db
		.insertInto('channel_users')
		.columns(['channel_id', 'user_id'])
		.expression((eb) =>
			eb
				.selectFrom('channel_users')
				.select((eb) => ['channel_id', eb.val(into).as('user_id')])
				.where('user_id', '=', from),
		)
		.onConflict((conflict) => conflict.doNothing())
		.execute();
	await movePeopleOfQuestions(db, from, into);
	await db
		.updateTable('snoozes')
		.set({ user_id: into })
		.where('user_id', '=', from)
		.where('message_id', 'not in', ({ selectFrom }) =>
			selectFrom('snoozes').select('message_id').where('user_id', '=', into),
		)
		.execute();
	await db.deleteFrom('users').where('id', '=', from).execute();
}

/** Removes the user from every channel and list; the history still names them. */
export async function markUserRemoved(db: Db, id: string, now: number) {
	await db.deleteFrom('channel_users').where('user_id', '=', id).execute();
	await db.deleteFrom('pair_codes').where('user_id', '=', id).execute();
	await updateUser(db, id, { removed_at: now });
}
