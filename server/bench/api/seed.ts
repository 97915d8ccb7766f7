import { hashSecret } from '../../src/service/secrets.ts';
import { type Db } from '../../src/store/schema.ts';
import { METRIC_KEY } from './load/traffic.ts';

const ROWS_AT_ONCE = 1_000;

/** The key of account number `n`. */
export function keyOf(n: number): string {
	return `bk_${String(n).padStart(43, '0')}`;
}

/** Accounts of the parts in which many send, each with one phone. */
export const ACCOUNTS = 2_000;

/** A key of each of them. */
export const accountKeys = () => Array.from({ length: ACCOUNTS }, (_, n) => keyOf(n));

/** The token of device number `n`. */
export function tokenOf(n: number): string {
	return `bd_${String(n).padStart(43, '0')}`;
}

export interface Seeded {
	/** The first account and their number; each gets a key, a user and a metric. */
	first: number;
	accounts: number;
	/** Phones of each account. */
	phones: number;
	/** True to put each phone in a channel of its own, `phone-0` and so on. */
	isEachInChannel?: boolean;
}

/** Writes accounts and their phones directly into the tables: the service would take minutes. */
export async function seedAccounts(
	db: Db,
	{ first, accounts, phones, isEachInChannel = false }: Seeded,
): Promise<void> {
	const now = Date.now();
	const numbers = Array.from({ length: accounts }, (_, index) => first + index);
	const accountId = (n: number) => `acc_${n}`;
	const userId = (n: number) => `usr_${n}`;
	await inGroups(numbers, async (group) => {
		await db
			.insertInto('accounts')
			.values(
				group.map((n) => ({
					id: accountId(n),
					name: `bench ${n}`,
					owner_email: 'owner@example.com',
					plan: 'paid' as const,
					trial_started_at: null,
					trial_ends_at: null,
					quota: null,
					overage_cap: null,
					time_zone: null,
					created_at: now,
				})),
			)
			.execute();
		await db
			.insertInto('users')
			.values(
				group.map((n) => ({
					id: userId(n),
					account_id: accountId(n),
					name: 'owner',
					email: null,
					created_at: now,
				})),
			)
			.execute();
		await db
			.insertInto('api_keys')
			.values(
				group.map((n) => ({
					id: `key_${n}`,
					account_id: accountId(n),
					kind: 'api' as const,
					name: 'bench',
					hash: hashSecret(keyOf(n)),
					last_four: '0000',
					scope: 'all' as const,
					created_at: now,
					last_used_at: now,
					revoked_at: null,
				})),
			)
			.execute();
		await db
			.insertInto('metrics')
			.values(
				group.map((n) => ({
					account_id: accountId(n),
					key: METRIC_KEY,
					name: 'Orders',
					format: 'number' as const,
					unit: null,
					value_json: null,
					measured_at: null,
					created_at: now,
				})),
			)
			.execute();
	});
	const owned = numbers.flatMap((n) =>
		Array.from({ length: phones }, (_, phone) => ({ n, phone })),
	);
	await inGroups(owned, async (group) => {
		await db
			.insertInto('devices')
			.values(
				group.map(({ n, phone }) => ({
					id: `dev_${n}_${phone}`,
					account_id: accountId(n),
					user_id: userId(n),
					name: 'Phone',
					platform: 'web' as const,
					token_hash: hashSecret(tokenOf(n * phones + phone)),
					status: 'active' as const,
					push_token: null,
					push_to_start_token: null,
					push_subscription_json: null,
					badge: 0,
					paired_at: now,
					last_seen_at: now,
				})),
			)
			.execute();
		if (!isEachInChannel) return;
		await db
			.insertInto('channels')
			.values(
				group.map(({ n, phone }) => ({
					id: `chn_${n}_${phone}`,
					account_id: accountId(n),
					slug: `phone-${phone}`,
					name: `Phone ${phone}`,
					created_at: now,
				})),
			)
			.execute();
		await db
			.insertInto('channel_devices')
			.values(
				group.map(({ n, phone }) => ({
					channel_id: `chn_${n}_${phone}`,
					device_id: `dev_${n}_${phone}`,
				})),
			)
			.execute();
	});
}

async function inGroups<T>(
	all: readonly T[],
	insert: (group: T[]) => Promise<void>,
): Promise<void> {
	for (let at = 0; at < all.length; at += ROWS_AT_ONCE)
		await insert(all.slice(at, at + ROWS_AT_ONCE));
}
