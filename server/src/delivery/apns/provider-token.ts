import type { KeyObject } from 'node:crypto';
import { signEs256 } from '../es256.ts';

/** Apple refuses a token older than an hour; some time is left for the way and for wrong clocks. */
const RENEW_AFTER_MS = 50 * 60 * 1_000;

/** Apple refuses more than one new token in 20 minutes (`TooManyProviderTokenUpdates`). */
const RENEW_NOT_BEFORE_MS = 20 * 60 * 1_000;

export interface ProviderKey {
	key: KeyObject;
	/** Ten characters, from Apple's list of keys. */
	keyId: string;
	/** Ten characters, of the developer account. */
	teamId: string;
}

/**
 * The token with which the server shows who it is; all connections share one
 * (Apple: "Establishing a token-based connection to APNs").
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
		// A clock that was set back would give a token of the future.
		if (age >= RENEW_AFTER_MS || age < 0) this.#issue();
		return this.#authorization;
	}

	/** Apple says that the token has expired. @returns whether there is a new one */
	renew(): boolean {
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
