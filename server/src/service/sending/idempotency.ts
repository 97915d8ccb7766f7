import { hash } from 'node:crypto';
import { KEY_REUSED } from '../../contract/push-headers.ts';
import type { KeptResponse } from '../../store/history/history.ts';
import { Refusal } from '../refusal.ts';
import type { PushInput } from './push-decision.ts';

/** Responses to pushes with idempotency keys, kept for retries (docs/api-decisions.md "Idempotency keys"). */

export interface IdempotencyKey {
	value: string;
	/** Called if the response belongs to an earlier request. */
	onReplayed: () => void;
}

/** The hashes of a push with an idempotency key. */
export interface KeyHashes {
	/** Hash of the account, the channels of the API key, and the key. */
	hash: string;
	/** Hash of the request; a retry must have the same. */
	requestHash: string;
}

/**
 * Characters of a hash that are kept, of six bits each. Finding a second text with the same 132 bits is infeasible; at
 * a million keys a day, two collide by chance once in 10^25 years.
 */
const HASH_LENGTH = 22;

const shortHash = (content: string) => hash('sha256', content, 'base64url').slice(0, HASH_LENGTH);

/**
 * An Idempotency-Key applies only to API keys with the same channels: a limited one must not read, or reserve,
 * another's.
 */
export function toKeyHashes(
	{ caller, request, repeat, question, sequenceId, ttl }: PushInput,
	{ value }: IdempotencyKey,
): KeyHashes {
	const content = JSON.stringify([
		request,
		repeat,
		...(question ? [question] : []),
		...(sequenceId === undefined ? [] : [{ sequenceId }]),
		...(ttl === undefined ? [] : [{ ttl }]),
	]);
	return {
		hash: shortHash(JSON.stringify([caller.accountId, caller.channels, value])),
		requestHash: shortHash(content),
	};
}

/** The kept part of a response, with the hash of its request. */
export function toKeptJson<P>({ requestHash }: KeyHashes, part: P): string {
	return JSON.stringify([requestHash, part]);
}

/** The kept part of the response for a key. @throws Refusal `key_reused` */
export function keptPart<P>({ kept_json: json }: KeptResponse, keyed: KeyHashes): P {
	const [requestHash, part] = JSON.parse(json) as [string, P];
	if (requestHash === keyed.requestHash) return part;
	throw new Refusal(
		'key_reused',
		'Idempotency key reused',
		'Another push was sent with this Idempotency-Key within the last day. Use a new key for each push, and send a retry with the same body.',
		{ code: KEY_REUSED },
	);
}
