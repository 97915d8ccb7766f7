import { hash } from 'node:crypto';
import { setTimeout } from 'node:timers/promises';
import { KEY_REUSED } from '../../contract/idempotency.ts';
import type { Database } from '../../store/database.ts';
import { hashOf, type KeptAnswer, keptAnswers } from '../../store/history/kept-answers.ts';
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
export interface Keyed {
	/** Of account and key. */
	hash: string;
	/** Of the request, which a repeat must have too. */
	requestHash: string;
}

/** Milliseconds for storing an answer, after the first attempts. */
const STORED_WITHIN_MS = 500;

/**
 * Characters of a hash that are kept, of six bits each. Nobody finds another text with the same 132 bits, and of a
 * million keys a day, two meet by chance once in 10^25 years.
 */
const HASH_LENGTH = 22;

const shortHash = (content: string) => hash('sha256', content, 'base64url').slice(0, HASH_LENGTH);

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
		hash: shortHash(`${caller.accountId} ${value}`),
		requestHash: shortHash(content),
	};
}

/** What is kept of an answer, with the request that it answers. */
export function toKeptJson<P>({ requestHash }: Keyed, part: P): string {
	return JSON.stringify([requestHash, part]);
}

/** @throws Refusal `key_reused` */
function assertSameRequest(requestHash: string, keyed: Keyed): void {
	if (requestHash === keyed.requestHash) return;
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
		assertSameRequest(known.requestHash, keyed);
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
 * What was kept of the answer to a key. Another server may still be at its first attempts, so a young one is read again
 * when they must be over.
 * @throws Refusal `key_reused`
 */
export async function finalPart<P>(context: Context, kept: KeptAnswer, keyed: Keyed): Promise<P> {
	const { database, now } = context;
	const read = ({ kept_json: json }: KeptAnswer) => JSON.parse(json) as [string, P];
	const [requestHash, part] = read(kept);
	assertSameRequest(requestHash, keyed);
	const left = kept.created_at + answeredWithin(context) - now();
	if (left <= 0) return part;
	await setTimeout(Math.min(left, answeredWithin(context)));
	const found = await keptAnswers(database.read, { hashes: [hashOf(kept)], now: now() });
	return read(found.at(-1) ?? kept)[1];
}
