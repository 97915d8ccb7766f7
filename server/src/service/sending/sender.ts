import { accountsWithSends } from '../../store/accounts/accounts.ts';
import type { Account, Db } from '../../store/schema.ts';
import { loadReach, type Reach } from '../audience.ts';
import { billingPeriod } from '../billing.ts';
import type { Caller } from '../context.ts';

/** An account as the next request of a set finds it, updated by each request of the set. */
export interface Sender extends Reach {
	readonly account: Account;
	/** The billing period of its sends. */
	readonly period: string;
	/** Sends in the period, including those of the set. */
	sends: number;
	/** Sends of the set. */
	newSends: number;
	/** Badges changed by the set, by device. */
	readonly badges: Map<string, number>;
}

/** Loads the accounts of a set's requests, with the reach that the requests need. */
export async function loadSenders(
	db: Db,
	asked: ReadonlyArray<{ caller: Caller; channels: readonly string[] | undefined }>,
	now: number,
): Promise<Map<string, Sender>> {
	const ids = [...new Set(asked.map(({ caller }) => caller.accountId))];
	const periods = (['trial', 'paid'] as const).map((plan) => billingPeriod({ plan }, now));
	const accounts = await accountsWithSends(db, ids, periods);
	const reach = await loadReach(
		db,
		asked.map(({ caller, channels = caller.channels }) => ({
			accountId: caller.accountId,
			slugs: channels,
		})),
	);
	return new Map(
		[...accounts].map(([id, { account, sends }]) => {
			const period = billingPeriod(account, now);
			const sender: Sender = {
				devices: reach.get(id)?.devices ?? [],
				channels: reach.get(id)?.channels ?? new Map(),
				account,
				period,
				sends: sends.get(period) ?? 0,
				newSends: 0,
				badges: new Map(),
			};
			return [id, sender];
		}),
	);
}
