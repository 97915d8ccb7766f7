import type { Selectable } from 'kysely';
import { compiledForRows } from './engine/compiled-once.ts';
import type { Account, Db, Tables, User } from './schema.ts';
import { selectedTogether } from './engine/selected-together.ts';
import { together } from './engine/together.ts';

export async function insertAccount(db: Db, account: Account): Promise<void> {
	await db.insertInto('accounts').values(account).execute();
}

export async function accountById(db: Db, id: string): Promise<Account | undefined> {
	return (await accountWithId(db, id))[0];
}

const accountWithId = selectedTogether<string, Account>((db, the) =>
	db
		.selectFrom('accounts')
		.select([
			'id',
			'name',
			'owner_email',
			'plan',
			'trial_started_at',
			'trial_ends_at',
			'quota',
			'overage_cap',
			'created_at',
		])
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

type Usage = Selectable<Tables['usage']>;

interface Period {
	accountId: string;
	/** `trial`, or a month such as `2026-11`. */
	period: string;
}

const keyOf = ({ accountId, period }: Period) => `${accountId} ${period}`;

/** Sends of the account in the period. */
export async function sendsIn(db: Db, period: Period): Promise<number> {
	return (await usageIn(db, period))[0]?.sends ?? 0;
}

const usageIn = selectedTogether<Period, { sends: number }>((db, the) =>
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

/** Counts one more send. @returns how many there are now, this one included */
export const countSend = together<Period, number>(async (db, periods) => {
	const counts = new Map<string, Period & { more: number }>();
	for (const period of periods) {
		const count = counts.get(keyOf(period));
		if (count) count.more += 1;
		else counts.set(keyOf(period), { ...period, more: 1 });
	}
	const rows = await addSends(db, [...counts.values()]);
	const before = new Map(
		rows.map((row) => {
			const key = keyOf({ accountId: row.account_id, period: row.period });
			return [key, row.sends - (counts.get(key)?.more ?? 0)];
		}),
	);
	return periods.map((period) => {
		const sends = (before.get(keyOf(period)) ?? 0) + 1;
		before.set(keyOf(period), sends);
		return sends;
	});
});

const addSends = compiledForRows<Period & { more: number }, Usage>((db, rows) =>
	db
		.insertInto('usage')
		.values(
			rows.map((the) => ({
				account_id: the(({ accountId }) => accountId),
				period: the(({ period }) => period),
				sends: the(({ more }) => more),
			})),
		)
		.onConflict((conflict) =>
			conflict
				.columns(['account_id', 'period'])
				.doUpdateSet((eb) => ({ sends: eb('usage.sends', '+', eb.ref('excluded.sends')) })),
		)
		.returning(['account_id', 'period', 'sends']),
);
