import { isAmong, statement } from '../engine/statement.ts';
import { findBy, insertInto, updateBy } from '../engine/by-key.ts';
import { insertStatement } from '../engine/json-rows.ts';
import { type Account, columnsOf, type Db } from '../schema.ts';

const ACCOUNT_COLUMNS = columnsOf('accounts').map((column) => `accounts.${column}` as const);

export const insertAccount = insertInto('accounts');
export const accountById = findBy('accounts', 'id');
export const accountByName = findBy('accounts', 'name');

export function listAccounts(db: Db): Promise<Account[]> {
	return db.selectFrom('accounts').selectAll().orderBy('created_at').execute();
}

/** Those of the ids that are of accounts. */
export async function accountsAmong(db: Db, ids: readonly string[]): Promise<Set<string>> {
	const rows = await db
		.selectFrom('accounts')
		.select('id')
		.where(isAmong(db, 'id', ids))
		.execute();
	return new Set(rows.map(({ id }) => id));
}

export type AccountSettings = Partial<
	Pick<Account, 'plan' | 'trial_started_at' | 'trial_ends_at' | 'quota' | 'overage_cap'>
>;

export const updateAccount = updateBy('accounts', 'id');

/** An account with its number of sends in each requested period. */
interface AccountWithSends {
	account: Account;
	sends: Map<string, number>;
}

/** @param periods `trial`, or a month such as `2026-11` */
export async function accountsWithSends(
	db: Db,
	ids: readonly string[],
	periods: readonly string[],
): Promise<Map<string, AccountWithSends>> {
	const rows = await accountsInPeriods(db, { ids, periods });
	const found = new Map<string, AccountWithSends>();
	for (const { period, sends, ...account } of rows) {
		const entry = found.get(account.id) ?? { account, sends: new Map<string, number>() };
		if (period !== null && sends !== null) entry.sends.set(period, sends);
		found.set(account.id, entry);
	}
	return found;
}

const accountsInPeriods = statement<
	{ ids: readonly string[]; periods: readonly string[] },
	Account & { period: string | null; sends: number | null }
>((db, params) =>
	db
		.selectFrom('accounts')
		.leftJoin('usage', (join) =>
			join
				.onRef('usage.account_id', '=', 'accounts.id')
				.on(isAmong(db, 'usage.period', params.periods)),
		)
		.select([...ACCOUNT_COLUMNS, 'usage.period', 'usage.sends'])
		.where(isAmong(db, 'accounts.id', params.ids)),
);

/** Adds sends to the accounts' totals for the period. */
export const addUsage = insertStatement('usage', ['account_id', 'period', 'sends'], {
	addTo: { key: ['account_id', 'period'], column: 'sends' },
});
