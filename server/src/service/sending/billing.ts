import type { BillingBlock } from '../../contract/errors.ts';
import type { Account } from '../../store/schema.ts';
import { isoTime, type ServiceSettings } from '../context.ts';
import { Refusal, unauthorized } from '../refusal.ts';

/** The period in which sends are counted: the whole trial, or a calendar month (UTC) of a paid plan. */
export function billingPeriod(account: Pick<Account, 'plan'>, now: number): string {
	return account.plan === 'trial' ? 'trial' : isoTime(now).slice(0, 7);
}

/** The reason the account cannot send; undefined if it can (docs/api-decisions.md "Capacity and billing"). */
export function billingBlock(
	account: Account,
	sends: number,
	now: number,
): BillingBlock | undefined {
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

/**
 * @param sends number of sends in the account's billing period
 * @throws Refusal `billing` when the account may not send
 */
export function requireMaySend(
	{ upgradeUrl }: ServiceSettings,
	account: Account,
	sends: number,
	now: number,
): void {
	const block = billingBlock(account, sends, now);
	if (!block) return;
	const { plan, trial_started_at: startedAt, trial_ends_at: endsAt } = account;
	throw new Refusal('billing', block, MESSAGES[block], {
		...(plan === 'trial' &&
			startedAt !== null &&
			endsAt !== null && {
				trial_period: { started_at: isoTime(startedAt), ends_at: isoTime(endsAt) },
			}),
		upgrade_url: upgradeUrl,
	});
}

export function accountGone(): Refusal {
	return unauthorized('Unauthorized', 'This account no longer exists.');
}
