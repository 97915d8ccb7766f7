import { hash, randomBytes, randomInt, randomUUID } from 'node:crypto';

/** 256 random bits: the path of a picture, a session of the console, a link to sign in. */
export function newToken(): string {
	return randomBytes(32).toString('base64url');
}

/** The prefix of a key shows people what it is for, also in the log. */
export const KEY_PREFIX = { api: 'bk_', sender: 'bs_' } as const;

export type KeyKind = keyof typeof KEY_PREFIX;

/**
 * After its prefix, a sender key has the form of gotify's tokens, which some of its clients check: `A` and 14 characters,
 * 84 random bits.
 */
export function newKey(kind: KeyKind): string {
	const token = newToken();
	return `${KEY_PREFIX[kind]}${kind === 'sender' ? `A${token.slice(0, 14)}` : token}`;
}

export function newDeviceToken(): string {
	return `bd_${newToken()}`;
}

/** Activity ids: 32 base64url characters. */
export function newActivityId(): string {
	return randomBytes(24).toString('base64url');
}

/** Ids of repeated pushes. */
export const newRepeatId = newActivityId;

export function newId(prefix: 'acc' | 'usr' | 'dev' | 'chn' | 'key' | 'mbr' | 'lnk'): string {
	return `${prefix}_${randomBytes(12).toString('base64url')}`;
}

/** Milliseconds since 1970 in base 36 have nine digits until the year 5188. */
const TIME_DIGITS = 9;

/** Digits of the count that keeps a process's entries of one millisecond in order: up to 36 to this power. */
const COUNT_DIGITS = 3;

let latest = { time: '', count: 0 };

/**
 * History ids begin with the time: new entries go to the end of the indexes, at the same cost however long
 * the history is. Elsewhere, each would change a different page. A count orders the entries of one
 * millisecond; the rest is random, because other processes count too.
 * @param now milliseconds since 1970
 */
export function newHistoryId(now: number): string {
	const time = now.toString(36).padStart(TIME_DIGITS, '0');
	latest = { time, count: time === latest.time ? latest.count + 1 : 0 };
	const count = latest.count.toString(36).padStart(COUNT_DIGITS, '0').slice(-COUNT_DIGITS);
	// Not a secret. randomUUID draws its random bytes in bulk, at a tenth of the cost of randomBytes.
	return `his_${time}${count}${randomUUID().slice(-12)}`;
}

/** Without 0, O, 1, I and L: people type it. */
const CODE_ALPHABET = '23456789ABCDEFGHJKMNPQRSTUVWXYZ';
const CODE_LENGTH = 8;

/** Almost forty bits: enough for a code valid for 15 minutes and limited to ten tries a minute. */
export function newPairCode(): string {
	const pick = () => CODE_ALPHABET[randomInt(CODE_ALPHABET.length)];
	return Array.from({ length: CODE_LENGTH }, pick).join('');
}

/**
 * SHA-256 of a secret, the only form in which it is stored. A plain hash is enough: the secrets are random
 * and long, or short-lived, so a dictionary attack has nothing to guess.
 */
export function hashSecret(secret: string): string {
	return hash('sha256', secret);
}
