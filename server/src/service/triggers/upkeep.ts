import { DAY_MS } from '../../durations.ts';
import { forEachAccount } from '../../regular-work.ts';
import { findTrigger, forgetTap, forgetTriggers, oldTaps } from '../../store/triggers.ts';
import type { Context } from '../context.ts';
import { changeTold } from './told.ts';

/** How long a tap waits for a listener. */
const WAIT_MS = DAY_MS;

/** How long a trigger is known to which nothing listens. */
const KEPT_MS = 30 * DAY_MS;

const AT_ONCE = 500;

/** Ends the wait of taps to which nothing has listened for a day, and tells their phones. */
export async function settleOldTaps(context: Context): Promise<void> {
	const { database, now, outbox } = context;
	const old = await oldTaps(database.read, now() - WAIT_MS, AT_ONCE);
	await forEachAccount(old, async (accountId, rows) => {
		for (const row of rows) {
			const deliveries = await database.write(accountId, async (db) => {
				const forgotten = await forgetTap(db, row);
				const trigger = await findTrigger(db, accountId, row.trigger_id);
				if (!forgotten || forgotten.is_done === 1 || !trigger) return [];
				return changeTold(db, context, forgotten, trigger.name, false);
			});
			void outbox.deliverNow(deliveries);
		}
	});
}

/** Forgets triggers to which nothing has listened for long. */
export async function forgetUnusedTriggers({ database, now }: Context): Promise<void> {
	await database.write(null, (db) => forgetTriggers(db, now() - KEPT_MS));
}
