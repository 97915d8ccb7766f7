import { DAY_MS } from '../durations.ts';
import { dueRows } from './due.ts';
import { findBy, insertInto, updateBy } from './engine/by-key.ts';
import { LIMITED } from './keys-and-channels/api-keys.ts';
import { countRows, listPart, type Part } from './list-pages.ts';
import type { Db, TriggerRow } from './schema.ts';

export const findTrigger = findBy('triggers', 'account_id', 'id');
export const insertTrigger = insertInto('triggers');
export const updateTrigger = updateBy('triggers', 'account_id', 'id');
export const insertTriggerTap = insertInto('trigger_taps');

type Key = Pick<TriggerRow, 'account_id' | 'id'>;

/** The triggers of an account, or of a key, in the order of their ids. */
export function triggersPart(db: Db, part: Part, keyId?: string | null) {
	let query = db.selectFrom('triggers').selectAll().where('account_id', '=', part.accountId);
	if (keyId !== undefined) query = query.where('api_key_id', '=', keyId);
	return listPart(query, 'id', part);
}

/** The number of triggers of an account whose keys are not revoked, and how many belong to keys limited to channels. */
export function countTriggers(db: Db, accountId: string) {
	return db
		.selectFrom('triggers')
		.leftJoin('api_keys', 'api_keys.id', 'triggers.api_key_id')
		.select(({ fn }) => fn.countAll<number>().as('all'))
		.select(LIMITED)
		.where('triggers.account_id', '=', accountId)
		.where('api_keys.revoked_at', 'is', null)
		.executeTakeFirstOrThrow();
}

/** The number of taps that wait, of an account or of one of its phones. */
export function countWaitingTaps(db: Db, account_id: string, device_id?: string) {
	const taps = db.selectFrom('trigger_taps').where('is_done', '=', 0);
	return countRows(taps.where((of) => of.and({ account_id, ...(device_id && { device_id }) })));
}

/** The taps after a number. @param isDone also those that are done */
export function tapsAfter(
	db: Db,
	{ account_id: accountId, id }: Key,
	{ after, limit, isDone }: { after: number; limit: number; isDone: boolean },
) {
	return db
		.selectFrom('trigger_taps')
		.selectAll()
		.where('account_id', '=', accountId)
		.where('trigger_id', '=', id)
		.where('number', '>', after)
		.$if(!isDone, (query) => query.where('is_done', '=', 0))
		.orderBy('number')
		.limit(limit)
		.execute();
}

/** Marks taps as done. @returns those that were not */
export async function finishTaps(db: Db, trigger: Key, tapIds: readonly string[]) {
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
export async function deleteDoneTaps(db: Db, trigger: Key, before: number) {
	await db
		.deleteFrom('trigger_taps')
		.where('account_id', '=', trigger.account_id)
		.where('trigger_id', '=', trigger.id)
		.where('is_done', '=', 1)
		.where('created_at', '<', before)
		.execute();
}

/** How long a tap waits for a listener. */
const WAIT_MS = DAY_MS;

/** The taps that have waited too long. */
export const dueTaps = dueRows('trigger_taps', {
	key: ['account_id', 'trigger_id', 'number'],
	at: 'created_at',
	after: WAIT_MS,
	isOnce: true,
});

/** Forgets triggers that have not listened since `before`. */
export async function deleteTriggers(db: Db, before: number) {
	await db
		.deleteFrom('triggers')
		.where('registered_at', '<', before)
		.where('listens_until', '<', before)
		.where('tested_until', '<', before)
		.execute();
}

/** The time of the oldest tap that no listener has taken. */
export async function oldestTap(db: Db, now: number): Promise<number | undefined> {
	const taps = db.selectFrom('trigger_taps').select('created_at').where('created_at', '<=', now);
	const oldest = taps.where('is_done', '=', 0).orderBy('created_at').limit(1);
	return (await oldest.executeTakeFirst())?.created_at;
}
