import type { PlanRequest, UsageAnswer } from '../../contract/console/history.ts';
import { accountById, accountsWithSends } from '../../store/accounts/accounts.ts';
import { listRequestCounts } from '../../store/accounts/request-counts.ts';
import type { Account } from '../../store/schema.ts';
import { changeAccount } from '../administration/accounts.ts';
import type { ActingContext } from '../administration/audit.ts';
import { billingBlock, billingPeriod } from '../sending/billing.ts';
import { ACTIVITIES_PER_DEVICE } from '../sending/board.ts';
import { type Context, isoTime, isoTimeOrNull } from '../context.ts';
import { Refusal } from '../refusal.ts';

const SHOWN_MS = 48 * 60 * 60 * 1_000;

async function requireAccount(context: Context, accountId: string): Promise<Account> {
	const account = await accountById(context.database.read, accountId);
	if (!account)
		throw new Refusal('not_found', 'Account not found', 'This account no longer exists.');
	return account;
}

/** The account's use and limits. The allowances of the current minute come from the rate limiter. */
export async function loadUsage(
	context: Context,
	accountId: string,
): Promise<Omit<UsageAnswer, 'allowances' | 'window_seconds'>> {
	await context.requests.flush();
	const now = context.now();
	const db = context.database.read;
	const account = await requireAccount(context, accountId);
	const period = billingPeriod(account, now);
	const found = await accountsWithSends(db, [accountId], [period]);
	const sends = found.get(accountId)?.sends.get(period) ?? 0;
	const counts = await listRequestCounts(db, accountId, now - SHOWN_MS);
	return {
		requests: counts.map(({ hour, feature, status, requests }) => ({
			hour: isoTime(hour),
			feature,
			status,
			requests,
		})),
		plan: {
			plan: account.plan,
			trial_started_at: isoTimeOrNull(account.trial_started_at),
			trial_ends_at: isoTimeOrNull(account.trial_ends_at),
			quota: account.quota,
			overage_cap: account.overage_cap,
			sends,
			blocked: billingBlock(account, sends, now) ?? null,
		},
		limits: { activities_per_device: ACTIVITIES_PER_DEVICE },
	};
}

/** @throws Refusal `not_found` */
export async function changePlan(
	context: ActingContext,
	accountId: string,
	{ plan, trial_ends_at: endsAt, quota, overage_cap }: PlanRequest,
): Promise<void> {
	const account = await requireAccount(context, accountId);
	await changeAccount(context, account, {
		plan,
		quota,
		overage_cap,
		trial_ends_at: endsAt === null ? null : Date.parse(endsAt),
	});
}
