import type { KeyObject } from 'node:crypto';
import { MINUTE_MS } from '../../durations.ts';
import { signEs256 } from '../es256.ts';

/** Apple rejects a token older than an hour; the rest allows for transit and wrong clocks. */
const RENEW_AFTER_MS = 50 * MINUTE_MS;

/** Apple rejects more than one new token in 20 minutes (`TooManyProviderTokenUpdates`). */
const RENEW_NOT_BEFORE_MS = 20 * MINUTE_MS;

export interface ProviderKey {
	key: KeyObject;
	/** Ten characters, from Apple's list of keys. */
	keyId: string;
	/** Ten characters, of the developer account. */
	teamId: string;
}

/**
 * The token that authenticates the server; all connections share one (Apple: "Establishing a token-based
 * connection to APNs").
 */
export class ProviderToken {
	readonly #key: ProviderKey;
	readonly #now: () => number;
	#authorization = '';
	#issuedAt = -Infinity;

	constructor(key: ProviderKey, now: () => number) {
		this.#key = key;
		this.#now = now;
	}

	/** The value of the `authorization` header. */
	authorization(): string {
		const age = this.#now() - this.#issuedAt;
		// After a clock is set back, the token would be dated in the future.
		if (age >= RENEW_AFTER_MS || age < 0) this.#issue();
		return this.#authorization;
	}

	/** Called when Apple reports a token as expired. @returns whether there is another one now */
	renew(expired: string): boolean {
		if (this.#authorization !== expired) return true;
		if (this.#now() - this.#issuedAt < RENEW_NOT_BEFORE_MS) return false;
		this.#issue();
		return true;
	}

	#issue(): void {
		const { key, keyId, teamId } = this.#key;
		this.#issuedAt = this.#now();
		const claims = { iss: teamId, iat: Math.floor(this.#issuedAt / 1_000) };
		this.#authorization = `bearer ${signEs256(key, { kid: keyId }, claims)}`;
	}
}
