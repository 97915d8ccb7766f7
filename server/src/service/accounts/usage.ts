import type { UsageResponse } from '../../contract/console/history.ts';
import type { FirstSteps } from '../../contract/console/resources.ts';
import { HOUR_MS } from '../../durations.ts';
import { accountsWithSends, listRequestCounts } from '../../store/accounts/accounts.ts';
import { countByReach } from '../../store/phones/devices.ts';
import { ACTIVITIES_PER_DEVICE } from '../sending/board.ts';
import { type Context, isoTime, isoTimeOrNull } from '../context.ts';
import { historyForConsole } from '../history/list.ts';
import { billingBlock, billingPeriod } from '../sending/account.ts';
import { requireAccount } from './accounts.ts';

const SHOWN_MS = 48 * HOUR_MS;

/** The account's usage and limits. The requests left this minute come from the rate limiter. */
export async function loadUsage(context: Context, accountId: string) {
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
	} satisfies Omit<UsageResponse, 'allowances' | 'window_seconds'>;
}

/** How many of the newest history entries are searched for a push that arrived. */
const RECENT = 10;

/** The first steps that the account has completed, derived from its data. */
export async function firstSteps(context: Context, accountId: string): Promise<FirstSteps> {
	const { database, settings } = context;
	const reaching = { connected: [], pushesToIphones: settings.pushesToIphones };
	const [{ push = 0, while_open: whileOpen = 0 }, { entries }] = await Promise.all([
		database.readInTurn((db) => countByReach(db, accountId, reaching)),
		historyForConsole(context, accountId, { limit: RECENT }),
	]);
	// A push service only reports that it accepted the push.
	const arrived = entries.filter(({ phones }) => phones.received + phones.handed_over > 0);
	return {
		phone: push + whileOpen > 0,
		notifications: push > 0,
		arrived: arrived.length > 0,
		workflow: arrived.some(({ key }) => key !== null),
		last: entries[0] ?? null,
	};
}
