import { accountsWithSends } from '../../store/accounts/accounts.ts';
import type { AccountRow, Db } from '../../store/schema.ts';
import { loadReach, type AccountReach, type ReachQuery } from './audience.ts';
import { isoTime, type ServiceSettings } from '../context.ts';
import type { BillingBlock } from '../../contract/errors.ts';
import { Refusal, unauthorized } from '../refusal.ts';

/** An account as the next request of a set finds it, updated by each request of the set. */
export interface SendingAccount extends AccountReach {
	readonly account: AccountRow;
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
export async function loadSendingAccounts(db: Db, queries: readonly ReachQuery[], now: number) {
	if (queries.length === 0) return new Map();
	const ids = [...new Set(queries.map(({ accountId }) => accountId))];
	const periods = {
		trial: billingPeriod({ plan: 'trial' }, now),
		paid: billingPeriod({ plan: 'paid' }, now),
	};
	const accounts = await accountsWithSends(db, ids, Object.values(periods));
	const reach = await loadReach(db, queries);
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
	const { account, sends } = sender;
	const block = billingBlock(account, sends, now);
	if (!block) return sender;
	const { plan, trial_started_at: startedAt, trial_ends_at: endsAt } = account;
	throw new Refusal('billing', block, MESSAGES[block], {
		...(plan === 'trial' &&
			startedAt !== null &&
			endsAt !== null && {
				trial_period: { started_at: isoTime(startedAt), ends_at: isoTime(endsAt) },
			}),
		upgrade_url: settings.upgradeUrl,
	});
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

/** The period in which sends are counted: the whole trial, or a calendar month (UTC) of a paid plan. */
export function billingPeriod(account: Pick<AccountRow, 'plan'>, now: number): string {
	return account.plan === 'trial' ? 'trial' : isoTime(now).slice(0, 7);
}

/**
 * The reason the account cannot send; undefined if it can (docs/api-decisions.md "Capacity and billing").
 * @param sends number of sends in the account's billing period
 */
export function billingBlock(account: AccountRow, sends: number, now: number) {
	if (account.plan === 'trial') {
		if (account.trial_ends_at !== null && now >= account.trial_ends_at) return 'trial_expired';
		if (account.quota !== null && sends >= account.quota) return 'trial_exhausted';
		return undefined;
	}
	if (account.quota === null || account.overage_cap === null) return undefined;
	return sends >= account.quota + account.overage_cap ? 'billing_overage_cap_reached' : undefined;
}

const MESSAGES: Record<BillingBlock, string> = {
	trial_expired: 'The trial of this account has ended. Choose a plan to continue sending.',
	trial_exhausted:
		'The sends included in the trial of this account are used up. Choose a plan to continue sending.',
	billing_overage_cap_reached:
		'This account has reached its overage cap for this month. Raise the cap, or wait for the next month.',
};

export function accountGone(): Refusal {
	return unauthorized('Unauthorized', 'This account no longer exists.');
}
