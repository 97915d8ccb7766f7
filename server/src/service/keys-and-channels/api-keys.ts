import type { ConsoleKey, KeyRequest, NewKeyResponse } from '../../contract/console/resources.ts';
import {
	insertApiKey,
	keyByHash,
	listApiKeys,
	revokeApiKey,
	toSlugs,
	updateApiKey,
} from '../../store/keys-and-channels/api-keys.ts';
import { endRepeatsOfKey } from '../../store/outbox/repeats.ts';
import { openQuestionsByKey, endFollowUpsOfKey } from '../../store/questions.ts';
import type { ApiKeyRow, NewApiKey } from '../../store/schema.ts';
import { type ActingContext, record } from '../audit.ts';
import { channelsNamed } from './channels.ts';
import { type Caller, type Context, isoTime, isoTimeOrNull } from '../context.ts';
import { invalidField, notFound } from '../refusal.ts';
import { hashSecret, KEY_PREFIX, type KeyKind, newId, newKey } from '../secrets.ts';

const REVOKED = 'The key is revoked. Give the program that sent this another key.';

/** Finds the caller of a key; undefined if the key is unknown, revoked or of another kind. */
export async function findCallerByKey(context: Context, key: string, kind: KeyKind = 'api') {
	const row = await keyByHash(context.database.read, hashSecret(key));
	if (row && row.revoked_at !== null) context.requests.noteKeyUse(row.id, REVOKED);
	if (row?.kind !== kind || row.revoked_at !== null) return undefined;
	context.lastUsed.note(row.id, row.last_used_at, (db, now) =>
		updateApiKey(db, row.id, { last_used_at: now }),
	);
	return {
		accountId: row.account_id,
		keyId: row.id,
		channels: toSlugs(row),
		isMarkdown: row.markdown !== null,
	} satisfies Caller;
}

function toConsoleKey(row: NewApiKey, channels: string[] | null, isMarkdown: boolean): ConsoleKey {
	return {
		id: row.id,
		name: row.name,
		last_four: row.last_four,
		channels,
		...(isMarkdown && { markdown: true as const }),
		created_at: isoTime(row.created_at),
		last_used_at: isoTimeOrNull(row.last_used_at),
		revoked_at: isoTimeOrNull(row.revoked_at),
		open_questions: 0,
		last_accepted_at: isoTimeOrNull(row.accepted_at),
		last_refused_at: isoTimeOrNull(row.refused_at),
		last_refusal: row.refusal ?? null,
		sender: row.kind === 'sender',
	};
}

/**
 * @returns the key's details, as shown later, and the key itself, stored only as its SHA-256
 * @throws Refusal `not_found` for an unknown channel, `invalid` for a sender key without channels
 */
export async function createApiKey(
	context: ActingContext,
	accountId: string,
	{ name, channels, sender = false, markdown = false }: KeyRequest,
): Promise<NewKeyResponse> {
	if (sender && !channels)
		throw invalidField(
			'channels',
			'must name at least one: a sender key sends only to its channels',
		);
	const kind = sender ? 'sender' : 'api';
	const key = newKey(kind);
	const row: NewApiKey = {
		id: newId('key'),
		account_id: accountId,
		kind,
		name,
		hash: hashSecret(key),
		last_four: key.slice(-4),
		scope: channels ? 'channels' : 'all',
		created_at: context.now(),
		last_used_at: null,
		revoked_at: null,
	};
	await context.database.write(accountId, async (db) => {
		const named = channels ? await channelsNamed(db, accountId, channels) : [];
		const channelIds = named.map(({ id }) => id);
		await insertApiKey(db, row, channelIds, markdown);
		await record(db, context, accountId, 'key_created', auditName(row));
	});
	return { ...toConsoleKey(row, channels ? [...channels] : null, markdown), key };
}

export async function listAccountApiKeys(context: Context, accountId: string) {
	const { read } = context.database;
	const rows = await listApiKeys(read, accountId);
	const open = await openQuestionsByKey(read, accountId);
	return rows.map((row) => ({
		...toConsoleKey(row, toSlugs(row), row.markdown !== null),
		open_questions: open.get(row.id) ?? 0,
	}));
}

/** @throws Refusal `not_found` when the key does not exist or is already revoked */
export async function revokeKey(context: ActingContext, accountId: string, keyId: string) {
	await context.database.write(accountId, async (db) => {
		const key = await revokeApiKey(db, accountId, keyId, context.now());
		if (!key)
			throw notFound(
				'Key not found',
				`This account has no unrevoked API key with the id ${keyId}.`,
			);
		await endRepeatsOfKey(db, accountId, keyId, context.now());
		await endFollowUpsOfKey(db, accountId, keyId);
		await record(db, context, accountId, 'key_revoked', auditName(key));
	});
	// Its waiting requests end.
	for (const waits of [context.questionWaits, context.triggerWaits]) waits.changed(keyId);
}

/** Names the key as the console does. */
function auditName(key: Pick<ApiKeyRow, 'kind' | 'name' | 'last_four'>): string {
	return `${key.name} (${KEY_PREFIX[key.kind]}…${key.last_four})`;
}
