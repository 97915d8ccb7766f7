import { DAY_MS, MINUTE_MS } from '../../durations.ts';
import type { PairingAnswer } from '../../contract/console/resources.ts';
import { PAIR_CODE_MINUTES } from '../../contract/pair-code.ts';
import {
	accountById,
	accountByName,
	type AccountSettings,
	insertAccount,
	listAccounts,
	updateAccount,
} from '../../store/accounts/accounts.ts';
import { type DeviceWithNames, insertPairCode, listDevices } from '../../store/phones/devices.ts';
import type { Account, Db, User } from '../../store/schema.ts';
import { firstUser, insertUser, listUsers, userByName } from '../../store/people/users.ts';
import { type ActingContext, actingMember, record } from '../audit.ts';
import { type Context, isoTime } from '../context.ts';
import { conflict, forbidden, notFound } from '../refusal.ts';
import { hashSecret, newId, newPairCode } from '../secrets.ts';

const TRIAL_DAYS = 14;

/** The first user's name until they set up the console and choose one. */
export const UNNAMED_OWNER = 'owner';

export interface NewAccount {
	name: string;
	owner: string;
	plan: 'paid' | 'trial';
}

/** Creates an account with its first user, the owner. @throws Refusal `conflict` when the name is taken */
export function createAccount(
	context: Context,
	account: NewAccount,
): Promise<{ account: Account; user: User }> {
	return context.database.write(null, (db) => insertAccountWithOwner(db, context, account));
}

/** Inserts the rows of a new account. @throws Refusal `conflict` when the name is taken */
export async function insertAccountWithOwner(
	db: Db,
	context: Context,
	{ name, owner, plan }: NewAccount,
): Promise<{ account: Account; user: User }> {
	if (await accountByName(db, name))
		throw conflict('Account exists', `There is already an account named ${name}.`);
	const now = context.now();
	const account: Account = {
		id: newId('acc'),
		name,
		owner_email: owner,
		plan,
		trial_started_at: plan === 'trial' ? now : null,
		trial_ends_at: plan === 'trial' ? now + TRIAL_DAYS * DAY_MS : null,
		quota: null,
		overage_cap: null,
		created_at: now,
	};
	const user: User = {
		id: newId('usr'),
		account_id: account.id,
		name: UNNAMED_OWNER,
		email: owner,
		preferences_json: null,
		created_at: now,
		removed_at: null,
	};
	await insertAccount(db, account);
	await insertUser(db, user);
	return { account, user };
}

export function allAccounts(context: Context): Promise<Account[]> {
	return listAccounts(context.database.read);
}

/** Finds the account by name or id. @throws Refusal `not_found` */
export async function findAccount(context: Context, nameOrId: string): Promise<Account> {
	const db = context.database.read;
	const account = (await accountByName(db, nameOrId)) ?? (await accountById(db, nameOrId));
	if (!account) throw notFound('Account not found', `There is no account named ${nameOrId}.`);
	return account;
}

/** Changes plan, trial end, quota or overage cap. Omitted fields keep their value. */
export async function changeAccount(
	context: ActingContext,
	account: Account,
	change: AccountSettings,
): Promise<Account> {
	const becomesTrial = change.plan === 'trial' && account.trial_started_at === null;
	const now = context.now();
	const settings = {
		...(becomesTrial && { trial_started_at: now, trial_ends_at: now + TRIAL_DAYS * DAY_MS }),
		...change,
	};
	if (Object.keys(settings).length > 0) {
		await context.database.write(account.id, async (db) => {
			await updateAccount(db, account.id, settings);
			await record(db, context, account.id, 'plan_changed', settings.plan ?? account.plan);
		});
	}
	return { ...account, ...settings };
}

/** @throws Refusal `conflict` when the account already has a user of this name */
export async function addUser(
	context: ActingContext,
	accountId: string,
	{ name, email }: { name: string; email?: string | undefined },
): Promise<User> {
	const user: User = {
		id: newId('usr'),
		account_id: accountId,
		name,
		email: email ?? null,
		preferences_json: null,
		created_at: context.now(),
		removed_at: null,
	};
	await context.database.write(accountId, async (db) => {
		if (await userByName(db, accountId, name))
			throw conflict('User exists', `This account already has a user ${name}.`);
		await insertUser(db, user);
		await record(db, context, accountId, 'person_added', name);
	});
	return user;
}

export function listAccountUsers(context: Context, accountId: string): Promise<User[]> {
	return listUsers(context.database.read, accountId);
}

/**
 * Creates a code that pairs one phone of the user, valid for 15 minutes. Owners make them for anybody,
 * other members for themselves: the phone's answers carry its user's name.
 * @param userName undefined: the account's first user
 * @throws Refusal `not_found`, or `forbidden` for a member and another user
 */
export async function createPairCode(
	context: ActingContext,
	accountId: string,
	userName?: string,
): Promise<PairingAnswer> {
	const code = newPairCode();
	const deviceId = newId('dev');
	const now = context.now();
	const expiresAt = now + PAIR_CODE_MINUTES * MINUTE_MS;
	const user = await context.database.write(accountId, async (db) => {
		const found =
			userName === undefined
				? await firstUser(db, accountId)
				: await userByName(db, accountId, userName);
		if (!found) {
			throw notFound(
				'User not found',
				userName === undefined
					? 'This account has no user. Add one first.'
					: `This account has no user ${userName}.`,
			);
		}
		const maker = await actingMember(db, context, accountId);
		if (maker && maker.role !== 'owner' && maker.user_id !== found.id) {
			throw forbidden(
				'Owners only',
				`user must be yourself: only an owner makes pairing codes for somebody else. Ask an owner for a code for ${found.name}.`,
			);
		}
		await insertPairCode(db, {
			code_hash: hashSecret(code),
			account_id: accountId,
			user_id: found.id,
			device_id: deviceId,
			created_by: maker?.id ?? null,
			expires_at: expiresAt,
			created_at: now,
		});
		await record(db, context, accountId, 'pair_code_created', found.name);
		return found;
	});
	return { code, user: user.name, device_id: deviceId, expires_at: isoTime(expiresAt) };
}

export function listAccountDevices(
	context: Context,
	accountId: string,
): Promise<DeviceWithNames[]> {
	return listDevices(context.database.read, accountId);
}
