import { hash } from 'node:crypto';
import { setTimeout } from 'node:timers/promises';
import { KEY_REUSED } from '../../contract/idempotency.ts';
import { DAY_MS } from '../../durations.ts';
import type { Database } from '../../store/database.ts';
import { deleteKeptAnswers, keptAnswers } from '../../store/idempotency-keys.ts';
import type { KeptAnswer } from '../../store/schema.ts';
import type { Context } from '../context.ts';
import { Refusal } from '../refusal.ts';
import type { PushInput } from './push-decision.ts';

/** The answers of pushes with idempotency keys, for their repeats (docs/api-decisions.md "Idempotency keys"). */

export interface IdempotencyKey {
	value: string;
	/** Called if the answer is that of an earlier request. */
	replayed: () => void;
	/** Gets the error if the store does not take a better answer. */
	report: (error: unknown) => void;
}

/** What is known of a push with a key before it is decided. */
export type Keyed = Pick<KeptAnswer, 'hash' | 'request_hash'>;

/** Milliseconds for storing an answer, after the first attempts. */
const STORED_WITHIN_MS = 500;

/** Rows per deletion. A write blocks the others, so each takes only milliseconds. */
const ROWS_AT_ONCE = 500;

/** A repeat must come with the same channels too: a limited API key must not read the answer to another. */
export function toKeyed(
	{ caller, request, repeat, question, sequenceId }: PushInput,
	{ value }: IdempotencyKey,
): Keyed {
	const content = JSON.stringify([
		caller.channels,
		request,
		repeat,
		...(question ? [question] : []),
		...(sequenceId === undefined ? [] : [{ sequenceId }]),
	]);
	return {
		hash: hash('sha256', `${caller.accountId} ${value}`, 'base64url'),
		request_hash: hash('sha256', content, 'base64url'),
	};
}

/** @throws Refusal `key_reused` */
export function assertSameRequest(kept: Keyed, { request_hash: requestHash }: Keyed): void {
	if (kept.request_hash === requestHash) return;
	throw new Refusal(
		'key_reused',
		'Idempotency key reused',
		'Another push was sent with this Idempotency-Key within the last day. Send each push with a key of its own, and a repeat with the body of the first.',
		{ code: KEY_REUSED },
	);
}

interface Shared extends Keyed {
	answer: Promise<unknown>;
}

const sharedAnswers = new WeakMap<Database, Map<string, Shared>>();

/** Milliseconds after which a stored push has been answered, whatever server it came to. */
const answeredWithin = ({ outbox }: Context) => outbox.firstAttemptMs + STORED_WITHIN_MS;

/**
 * Sends a push, unless this process is sending one with the same key or has just done so: then it waits for that
 * one's answer. Remembered until a repeat finds the final answer in the store.
 * @throws Refusal `key_reused`, and anything that `send` throws
 */
export async function shareAnswer<A>(
	context: Context,
	keyed: Keyed,
	{ replayed }: IdempotencyKey,
	send: () => Promise<A>,
): Promise<A> {
	const shared = sharedAnswers.get(context.database) ?? new Map<string, Shared>();
	sharedAnswers.set(context.database, shared);
	const known = shared.get(keyed.hash);
	if (known) {
		assertSameRequest(known, keyed);
		const answer = (await known.answer) as A;
		replayed();
		return answer;
	}
	const answer = send();
	shared.set(keyed.hash, { ...keyed, answer });
	const forget = () => shared.delete(keyed.hash);
	answer.then(() => globalThis.setTimeout(forget, answeredWithin(context)).unref(), forget);
	return answer;
}

/**
 * The answer that was kept for a key. Another server may still be at its first attempts, so a young one is read again
 * when they must be over.
 */
export async function finalAnswer(context: Context, kept: KeptAnswer): Promise<string> {
	const { database, now } = context;
	const left = kept.created_at + answeredWithin(context) - now();
	if (left <= 0) return kept.answer_json;
	await setTimeout(Math.min(left, answeredWithin(context)));
	const [final = kept] = await keptAnswers(database.read, { hashes: [kept.hash] });
	return final.answer_json;
}

/**
 * Deletes the keys that are older than a day, a few at a time, so other requests can run in between.
 * @param signal stops the deletion between two writes
 */
export async function forgetKeptAnswers(
	{ database, now }: Context,
	signal?: AbortSignal,
): Promise<void> {
	const before = now() - DAY_MS;
	let deleted = ROWS_AT_ONCE;
	while (deleted === ROWS_AT_ONCE && !signal?.aborted)
		deleted = await database.write(null, (db) => deleteKeptAnswers(db, before, ROWS_AT_ONCE));
}
