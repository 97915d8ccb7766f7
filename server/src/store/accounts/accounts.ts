import { isAmong, statement } from '../engine/statement.ts';
import { deleteBy, findBy, insertInto, updateBy } from '../engine/by-key.ts';
import { insertStatement } from '../engine/json-rows.ts';
import { type AccountRow, columnsOf, type Db, type RequestCountRow } from '../schema.ts';
import { sql } from 'kysely';

const ACCOUNT_COLUMNS = columnsOf('accounts').map((column) => `accounts.${column}` as const);

export const insertAccount = insertInto('accounts');
export const accountById = findBy('accounts', 'id');
export const accountByName = findBy('accounts', 'name');

export function listAccounts(db: Db) {
	return db.selectFrom('accounts').selectAll().orderBy('created_at').execute();
}

/** The given ids that belong to existing accounts. */
export async function accountsAmong(db: Db, ids: readonly string[]) {
	const rows = await db
		.selectFrom('accounts')
		.select('id')
		.where(isAmong(db, 'id', ids))
		.execute();
	return new Set(rows.map(({ id }) => id));
}

export type AccountSettings = Partial<Omit<AccountRow, 'id' | 'owner_email' | 'created_at'>>;

export const updateAccount = updateBy('accounts', 'id');

/**
 * Accounts, each with its number of sends in each requested period.
 * @param periods `trial`, or a month such as `2026-11`
 */
export async function accountsWithSends(
	db: Db,
	ids: readonly string[],
	periods: readonly string[],
) {
	const rows = await accountsInPeriods(db, { ids, periods });
	const found = new Map<string, { account: AccountRow; sends: Map<string, number> }>();
	for (const { period, sends, ...account } of rows) {
		const entry = found.get(account.id) ?? { account, sends: new Map<string, number>() };
		if (period !== null && sends !== null) entry.sends.set(period, sends);
		found.set(account.id, entry);
	}
	return found;
}

const accountsInPeriods = statement(
	(db: Db, params: { ids: readonly string[]; periods: readonly string[] }) =>
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

const revokeKeys = updateBy('api_keys', 'account_id');
const disconnect = updateBy('devices', 'account_id');
const DELETED_AT_CLOSE = [
	deleteBy('members', 'account_id'),
	deleteBy('join_links', 'account_id'),
	deleteBy('pair_codes', 'account_id'),
	deleteBy('repeats', 'account_id'),
	deleteBy('quiet_summaries', 'account_id'),
];

/** Makes an account unreachable: nobody can sign in, no key, link or phone works, and nothing is sent later. */
export async function closeAccount(db: Db, accountId: string, now: number) {
	for (const deleteAll of DELETED_AT_CLOSE) await deleteAll(db, accountId);
	await revokeKeys(db, accountId, { revoked_at: now });
	await disconnect(db, accountId, { status: 'disconnected' });
}

/**
 * Deletes a phone or a key of the account without history. One at a time: no index names what may refer to it, so the
 * store looks through all deliveries, or all entries.
 * @returns whether there was one
 */
export async function deleteOne(db: Db, table: 'devices' | 'api_keys', accountId: string) {
	const { numAffectedRows } = await sql`
		delete from ${sql.table(table)} where id in (
			select id from ${sql.table(table)} where account_id = ${accountId} limit 1
		)`.execute(db);
	return numAffectedRows === 1n;
}

/** Deletes the account with all that is left of it. */
export const deleteAccountRow = deleteBy('accounts', 'id');

/** @param forgetBefore deletes the counts of earlier hours; milliseconds since 1970 */
export async function addRequestCounts(
	db: Db,
	counts: readonly RequestCountRow[],
	forgetBefore: number,
) {
	// Always in this order, so two servers cannot deadlock on each other's rows.
	const sorted = counts.toSorted((a, b) => (toKey(a) < toKey(b) ? -1 : 1));
	await addRows(db, sorted);
	await db.deleteFrom('request_counts').where('hour', '<', forgetBefore).execute();
}

const KEY = ['account_id', 'hour', 'feature', 'status'] as const;

const addRows = insertStatement('request_counts', [...KEY, 'requests'], {
	addTo: { key: KEY, column: 'requests' },
});

function toKey({ account_id: accountId, hour, feature, status }: RequestCountRow): string {
	return `${accountId} ${hour} ${feature} ${status}`;
}

export function listRequestCounts(db: Db, accountId: string, since: number) {
	return db
		.selectFrom('request_counts')
		.selectAll()
		.where('account_id', '=', accountId)
		.where('hour', '>=', since)
		.orderBy('hour')
		.execute();
}
