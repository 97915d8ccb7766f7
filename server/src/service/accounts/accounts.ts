import { DAY_MS } from '../../durations.ts';
import {
	accountById,
	accountByName,
	type AccountSettings,
	deleteAccountRow,
	deleteOne,
	insertAccount,
	closeAccount,
	updateAccount,
} from '../../store/accounts/accounts.ts';
import type { AccountRow, Db, UserRow } from '../../store/schema.ts';
import { insertUser } from '../../store/people/users.ts';
import { type ActingContext, record } from '../audit.ts';
import type { Context } from '../context.ts';
import { conflict, notFound } from '../refusal.ts';
import { newId } from '../secrets.ts';
import { historyPage } from '../../store/history/pages.ts';
import { deleteHistory } from '../../store/history/retention.ts';

const TRIAL_DAYS = 14;

/** The first user's name until they choose one when setting up the console. */
export const UNNAMED_OWNER = 'owner';

interface NewAccount {
	name: string;
	owner: string;
	plan: 'paid' | 'trial';
}

/** Creates an account with its first user, the owner. @throws Refusal `conflict` when the name is taken */
export function createAccount(context: Context, account: NewAccount) {
	return context.database.write(null, (db) => insertAccountWithOwner(db, context, account));
}

/** Inserts the rows of a new account. @throws Refusal `conflict` when the name is taken */
export async function insertAccountWithOwner(
	db: Db,
	context: Context,
	{ name, owner, plan }: NewAccount,
): Promise<{ account: AccountRow; user: UserRow }> {
	await requireFreeAccountName(db, name);
	const now = context.now();
	const account: AccountRow = {
		id: newId('acc'),
		name,
		owner_email: owner,
		plan,
		trial_started_at: plan === 'trial' ? now : null,
		trial_ends_at: plan === 'trial' ? now + TRIAL_DAYS * DAY_MS : null,
		quota: null,
		overage_cap: null,
		created_at: now,
		time_zone: null,
	};
	await insertAccount(db, account);
	const person = { id: newId('usr'), name: UNNAMED_OWNER, email: owner, created_at: now };
	return { account, user: await insertUser(db, { ...person, account_id: account.id }) };
}

async function requireFreeAccountName(db: Db, name: string) {
	if (await accountByName(db, name))
		throw conflict('Account exists', `There is already an account named ${name}.`);
}

/** @throws Refusal `conflict` when another account has the name */
export async function renameAccount(context: ActingContext, accountId: string, name: string) {
	if ((await requireAccount(context, accountId)).name === name) return;
	await context.database.write(accountId, async (db) => {
		await requireFreeAccountName(db, name);
		await updateAccount(db, accountId, { name });
		await record(db, context, accountId, 'account_renamed', name);
	});
}

/** Finds the account by name or id. @throws Refusal `not_found` */
export async function findAccount(context: Context, nameOrId: string): Promise<AccountRow> {
	const db = context.database.read;
	const account = (await accountByName(db, nameOrId)) ?? (await accountById(db, nameOrId));
	if (!account) throw notFound('Account not found', `There is no account named ${nameOrId}.`);
	return account;
}

/** Changes plan, trial end, quota, overage cap or time zone. Omitted fields keep their value. */
export async function changeAccount(
	context: ActingContext,
	account: AccountRow,
	change: AccountSettings,
): Promise<AccountRow> {
	const becomesTrial = change.plan === 'trial' && account.trial_started_at === null;
	const now = context.now();
	const settings = {
		...(becomesTrial && { trial_started_at: now, trial_ends_at: now + TRIAL_DAYS * DAY_MS }),
		...change,
	};
	if (Object.keys(settings).length > 0)
		await context.database.write(account.id, async (db) => {
			await updateAccount(db, account.id, settings);
			await record(db, context, account.id, 'plan_changed', settings.plan ?? account.plan);
		});
	return { ...account, ...settings };
}

/** @throws Refusal `not_found` for an account that has been deleted since the request began */
export async function requireAccount(context: Context, accountId: string): Promise<AccountRow> {
	const account = await accountById(context.database.read, accountId);
	if (!account) throw notFound('Account not found', 'This account no longer exists.');
	return account;
}

/** Rows per deletion, as in retention.ts. */
const ENTRIES_AT_ONCE = 20;

/**
 * Deletes an account with everything that belongs to it: people, phones, keys, history, pictures and sessions. First
 * it becomes unreachable; then its rows are deleted in small writes, so that other accounts can write in between. If
 * the process is killed, running the command again deletes the rest.
 */
export async function deleteAccount(
	{ database, now, openPages }: Context,
	{ id }: Pick<AccountRow, 'id'>,
) {
	await database.write(id, (db) => closeAccount(db, id, now()));
	// Wakes all of its phones, so they learn that they are disconnected.
	openPages.metricsChanged(id);
	for (;;) {
		const part = { limit: ENTRIES_AT_ONCE };
		const { rows } = await database.readInTurn((db) => historyPage(db, id, {}, part));
		if (rows.length === 0) break;
		const entries = rows.map((row) => row.id);
		while (!(await database.write(id, (db) => deleteHistory(db, entries))));
	}
	for (const table of ['devices', 'api_keys'] as const)
		while (await database.write(id, (db) => deleteOne(db, table, id)));
	await database.write(id, (db) => deleteAccountRow(db, id));
}
