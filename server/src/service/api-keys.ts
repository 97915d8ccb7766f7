import {
	channelSlugsOfKey,
	insertApiKey,
	listApiKeys,
	revokeApiKey,
	touchApiKey,
	usableKeyByHash,
} from '../store/accounts/api-keys.ts';
import type { ApiKeyRow } from '../store/schema.ts';
import { type ActingContext, record } from './audit.ts';
import { channelsNamed } from './channels.ts';
import { type Caller, type Context, isoTime } from './context.ts';
import { Refusal } from './refusal.ts';
import { hashOf, newApiKey, newId } from './secrets.ts';

/** Finds the caller of an API key; undefined if the key is unknown or revoked. */
export async function callerOfKey(context: Context, key: string): Promise<Caller | undefined> {
	const db = context.database.read;
	const row = await usableKeyByHash(db, hashOf(key));
	if (!row) return undefined;
	context.lastUsed.note(row.id, row.last_used_at, (db, now) => touchApiKey(db, row.id, now));
	const channels = row.scope === 'channels' ? await channelSlugsOfKey(db, row.id) : null;
	return { accountId: row.account_id, keyId: row.id, channels };
}

export interface ShownApiKey {
	id: string;
	name: string;
	last_four: string;
	/** null: every device of the account. */
	channels: string[] | null;
	created_at: string;
	last_used_at: string | null;
	revoked_at: string | null;
}

function shown(row: ApiKeyRow, channels: string[] | null): ShownApiKey {
	const time = (ms: number | null) => (ms === null ? null : isoTime(ms));
	return {
		id: row.id,
		name: row.name,
		last_four: row.last_four,
		channels,
		created_at: isoTime(row.created_at),
		last_used_at: time(row.last_used_at),
		revoked_at: time(row.revoked_at),
	};
}

/**
 * @param channels slugs the key is restricted to; undefined: it reaches every device
 * @returns the key itself, stored only as its SHA-256, and the details shown of it later
 * @throws Refusal `not_found` for an unknown channel
 */
export async function createApiKey(
	context: ActingContext,
	accountId: string,
	{ name, channels }: { name: string; channels?: readonly string[] | undefined },
): Promise<{ key: string; shown: ShownApiKey }> {
	const key = newApiKey();
	const row: ApiKeyRow = {
		id: newId('key'),
		account_id: accountId,
		name,
		hash: hashOf(key),
		last_four: key.slice(-4),
		scope: channels ? 'channels' : 'all',
		created_at: context.now(),
		last_used_at: null,
		revoked_at: null,
	};
	await context.database.write(accountId, async (db) => {
		const rows = channels ? await channelsNamed(db, accountId, channels) : [];
		await insertApiKey(
			db,
			row,
			rows.map(({ id }) => id),
		);
		await record(db, context, accountId, 'key_created', auditName(row));
	});
	return { key, shown: shown(row, channels ? [...channels] : null) };
}

export async function apiKeysOf(context: Context, accountId: string): Promise<ShownApiKey[]> {
	const db = context.database.read;
	const rows = await listApiKeys(db, accountId);
	return Promise.all(
		rows.map(async (row) =>
			shown(row, row.scope === 'channels' ? await channelSlugsOfKey(db, row.id) : null),
		),
	);
}

/** @throws Refusal `not_found` when the key does not exist or is already revoked */
export async function revokeKey(
	context: ActingContext,
	accountId: string,
	keyId: string,
): Promise<void> {
	await context.database.write(accountId, async (db) => {
		const key = await revokeApiKey(db, accountId, keyId, context.now());
		if (!key) {
			throw new Refusal(
				'not_found',
				'Key not found',
				`This account has no unrevoked API key with the id ${keyId}.`,
			);
		}
		await record(db, context, accountId, 'key_revoked', auditName(key));
	});
}

/** Names the key as the console does. */
function auditName({ name, last_four: lastFour }: Pick<ApiKeyRow, 'name' | 'last_four'>): string {
	return `${name} (bk_…${lastFour})`;
}
