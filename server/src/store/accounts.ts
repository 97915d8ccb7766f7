import { compiledOnce } from './compiled-once.ts';
import type { Account, Db, User } from './schema.ts';

export async function insertAccount(db: Db, account: Account): Promise<void> {
	await db.insertInto('accounts').values(account).execute();
}

export async function accountById(db: Db, id: string): Promise<Account | undefined> {
	const [account] = await accountWithId(db, id);
	return account;
}

const accountWithId = compiledOnce<string, Account>((db, the) =>
	db
		.selectFrom('accounts')
		.selectAll()
		.where(
			'id',
			'=',
			the((id) => id),
		),
);

export function accountByName(db: Db, name: string): Promise<Account | undefined> {
	return db.selectFrom('accounts').selectAll().where('name', '=', name).executeTakeFirst();
}

export function listAccounts(db: Db): Promise<Account[]> {
	return db.selectFrom('accounts').selectAll().orderBy('created_at').execute();
}

export type AccountSettings = Partial<
	Pick<Account, 'plan' | 'trial_started_at' | 'trial_ends_at' | 'quota' | 'overage_cap'>
>;

export async function updateAccount(db: Db, id: string, settings: AccountSettings): Promise<void> {
	await db.updateTable('accounts').set(settings).where('id', '=', id).execute();
}

export async function insertUser(db: Db, user: User): Promise<void> {
	await db.insertInto('users').values(user).execute();
}

export function userByName(db: Db, accountId: string, name: string): Promise<User | undefined> {
	return db
		.selectFrom('users')
		.selectAll()
		.where('account_id', '=', accountId)
		.where('name', '=', name)
		.executeTakeFirst();
}

export function listUsers(db: Db, accountId: string): Promise<User[]> {
	return db
		.selectFrom('users')
		.selectAll()
		.where('account_id', '=', accountId)
		.orderBy('created_at')
		.execute();
}

interface Period {
	accountId: string;
	/** `trial`, or a month such as `2026-11`. */
	period: string;
}

/** Sends of the account in the period. */
export async function sendsIn(db: Db, accountId: string, period: string): Promise<number> {
	const [row] = await usageIn(db, { accountId, period });
	return row?.sends ?? 0;
}

const usageIn = compiledOnce<Period, { sends: number }>((db, the) =>
	db
		.selectFrom('usage')
		.select('sends')
		.where(
			'account_id',
			'=',
			the(({ accountId }) => accountId),
		)
		.where(
			'period',
			'=',
			the(({ period }) => period),
		),
);

export async function countSend(db: Db, accountId: string, period: string): Promise<void> {
	await oneMoreSend(db, { accountId, period });
}

const oneMoreSend = compiledOnce<Period, unknown>((db, the) =>
	db
		.insertInto('usage')
		.values({
			account_id: the(({ accountId }) => accountId),
			period: the(({ period }) => period),
			sends: 1,
		})
		.onConflict((conflict) =>
			conflict
				.columns(['account_id', 'period'])
				.doUpdateSet((eb) => ({ sends: eb('usage.sends', '+', 1) })),
		),
);
