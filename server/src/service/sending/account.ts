import { accountsWithSends } from '../../store/accounts/accounts.ts';
import type { Account, Db } from '../../store/schema.ts';
import { loadReach, type Reach, type Reached } from './audience.ts';
import { accountGone, billingPeriod, requireMaySend } from './billing.ts';
import type { ServiceSettings } from '../context.ts';

/** An account as the next request of a set finds it, updated by each request of the set. */
export interface SendingAccount extends Reach {
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
export async function loadSendingAccounts(
	db: Db,
	asked: readonly Reached[],
	now: number,
): Promise<Map<string, SendingAccount>> {
	if (asked.length === 0) return new Map();
	const ids = [...new Set(asked.map(({ accountId }) => accountId))];
	const periods = {
		trial: billingPeriod({ plan: 'trial' }, now),
		paid: billingPeriod({ plan: 'paid' }, now),
	};
	const accounts = await accountsWithSends(db, ids, Object.values(periods));
	const reach = await loadReach(db, asked);
	return new Map(
		[...accounts].map(([id, { account, sends }]) => {
			const period = periods[account.plan];
			const sender: SendingAccount = {
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

/**
 * @param sender undefined when the account no longer exists
 * @throws Refusal `unauthorized`, or `billing` when the account cannot send
 */
export function requireSendingAccount(
	sender: SendingAccount | undefined,
	{ settings, now }: { settings: ServiceSettings; now: number },
): SendingAccount {
	if (!sender) throw accountGone();
	requireMaySend(settings, sender.account, sender.sends, now);
	return sender;
}

export function countSend(sender: SendingAccount): void {
	sender.sends += 1;
	sender.newSends += 1;
}

/** The devices with the badges that the set has given them. */
export function withBadges<D extends { id: string; badge: number }>(
	{ badges }: SendingAccount,
	devices: readonly D[],
): readonly D[] {
	if (badges.size === 0) return devices;
	return devices.map((device) => ({ ...device, badge: badges.get(device.id) ?? device.badge }));
}
