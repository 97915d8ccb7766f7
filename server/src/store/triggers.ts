import { findBy, insertInto } from './engine/by-key.ts';
import type { Part } from './lists.ts';
import type { Db, TriggerRow, TriggerTapRow } from './schema.ts';

export const findTrigger = findBy('triggers', 'account_id', 'id');
export const insertTrigger = insertInto('triggers');
export const insertTriggerTap = insertInto('trigger_taps');

type Key = Pick<TriggerRow, 'account_id' | 'id'>;

export async function updateTrigger(
	db: Db,
	{ account_id: accountId, id }: Key,
	change: Partial<TriggerRow>,
): Promise<void> {
	await db
		.updateTable('triggers')
		.set(change)
		.where('account_id', '=', accountId)
		.where('id', '=', id)
		.execute();
}

/** Those of an account, or of a key, in the order of their ids. */
export function triggersPart(
	db: Db,
	{ accountId, after = '', limit }: Part,
	keyId?: string | null,
): Promise<TriggerRow[]> {
	return db
		.selectFrom('triggers')
		.selectAll()
		.where('account_id', '=', accountId)
		.where('id', '>', after)
		.$if(keyId !== undefined, (query) => query.where('api_key_id', '=', keyId ?? null))
		.orderBy('id')
		.limit(limit)
		.execute();
}

/** The number of triggers of an account, and of taps that wait in it. */
export async function countTriggers(
	db: Db,
	accountId: string,
): Promise<{ triggers: number; waiting: number }> {
	const { triggers } = await db
		.selectFrom('triggers')
		.select(({ fn }) => fn.countAll<number>().as('triggers'))
		.where('account_id', '=', accountId)
		.executeTakeFirstOrThrow();
	const { waiting } = await db
		.selectFrom('trigger_taps')
		.select(({ fn }) => fn.countAll<number>().as('waiting'))
		.where('account_id', '=', accountId)
		.where('is_done', '=', 0)
		.executeTakeFirstOrThrow();
	return { triggers, waiting };
}

const tapsOf = (db: Db, { account_id: accountId, id }: Key) =>
	db
		.selectFrom('trigger_taps')
		.selectAll()
		.where('account_id', '=', accountId)
		.where('trigger_id', '=', id);

/** The taps after a number. @param isDone also those that are done */
export function tapsAfter(
	db: Db,
	trigger: Key,
	{ after, limit, isDone }: { after: number; limit: number; isDone: boolean },
): Promise<TriggerTapRow[]> {
	return tapsOf(db, trigger)
		.where('number', '>', after)
		.$if(!isDone, (query) => query.where('is_done', '=', 0))
		.orderBy('number')
		.limit(limit)
		.execute();
}

/** Marks taps as done. @returns those that were not */
export async function finishTaps(
	db: Db,
	trigger: Key,
	tapIds: readonly string[],
): Promise<TriggerTapRow[]> {
	if (tapIds.length === 0) return [];
	return db
		.updateTable('trigger_taps')
		.set({ is_done: 1 })
		.where('account_id', '=', trigger.account_id)
		.where('trigger_id', '=', trigger.id)
		.where('tap_id', 'in', tapIds)
		.where('is_done', '=', 0)
		.returningAll()
		.execute();
}

/** Forgets taps of a trigger that were done before. */
export async function forgetDoneTaps(db: Db, trigger: Key, before: number): Promise<void> {
	await db
		.deleteFrom('trigger_taps')
		.where('account_id', '=', trigger.account_id)
		.where('trigger_id', '=', trigger.id)
		.where('is_done', '=', 1)
		.where('created_at', '<', before)
		.execute();
}

/** The taps from before, the oldest first. */
export function oldTaps(db: Db, before: number, limit: number): Promise<TriggerTapRow[]> {
	return db
		.selectFrom('trigger_taps')
		.selectAll()
		.where('created_at', '<', before)
		.orderBy('created_at')
		.limit(limit)
		.execute();
}

/** Forgets a tap. @returns whether it was there: of several servers, only one forgets it */
export async function forgetTap(
	db: Db,
	{ account_id: accountId, trigger_id: triggerId, number }: TriggerTapRow,
): Promise<TriggerTapRow | undefined> {
	return db
		.deleteFrom('trigger_taps')
		.where('account_id', '=', accountId)
		.where('trigger_id', '=', triggerId)
		.where('number', '=', number)
		.returningAll()
		.executeTakeFirst();
}

/** Forgets triggers that have not listened since `before`. */
export async function forgetTriggers(db: Db, before: number): Promise<void> {
	await db
		.deleteFrom('triggers')
		.where('registered_at', '<', before)
		.where('listens_until', '<', before)
		.where('tested_until', '<', before)
		.execute();
}
