import {
	createPrivateKey,
	generateKeyPairSync,
	type JsonWebKey,
	type KeyObject,
} from 'node:crypto';
import { BoundedMap } from '../../collections.ts';
import type { Database } from '../../store/database.ts';
import { serverKey } from '../../store/server-state.ts';
import { signEs256 } from '../es256.ts';

/** A push service accepts a token for at most 24 hours (RFC 8292 section 2). */
const VALID_SECONDS = 12 * 60 * 60;
const RENEW_AFTER_MS = (VALID_SECONDS / 2) * 1_000;

/** Browsers name the push service, but there are only a handful. */
const MAX_ORIGINS = 100;

interface VapidKeys {
	/** The uncompressed point, base64url: `applicationServerKey` of a subscription. */
	publicKey: string;
	privateKey: KeyObject;
}

function makeKey(): JsonWebKey {
	return generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey.export({ format: 'jwk' });
}

/** The server's Web Push keys, created on first use: subscriptions are bound to them permanently. */
export async function loadVapidKeys(database: Database): Promise<VapidKeys> {
	const jwk = await serverKey(database, 'vapid', makeKey);
	const point = [jwk.x, jwk.y].map((part) => Buffer.from(part ?? '', 'base64url'));
	return {
		publicKey: Buffer.concat([Buffer.from([4]), ...point]).toString('base64url'),
		privateKey: createPrivateKey({ key: jwk, format: 'jwk' }),
	};
}

/** Identifies the server to push services (RFC 8292), with one token per service. */
export class Vapid {
	readonly #keys: VapidKeys;
	readonly #contact: string;
	readonly #now: () => number;
	readonly #tokens = new BoundedMap<string, { token: string; issuedAt: number }>(MAX_ORIGINS);

	/** @param contact mailto: or https URL where the service can reach the operator */
	constructor(keys: VapidKeys, contact: string, now: () => number) {
		this.#keys = keys;
		this.#contact = contact;
		this.#now = now;
	}

	/** The Authorization header for an endpoint's origin. */
	authorization(origin: string): string {
		const now = this.#now();
		let cached = this.#tokens.get(origin);
		if (!cached || now - cached.issuedAt >= RENEW_AFTER_MS || now < cached.issuedAt) {
			const exp = Math.floor(now / 1_000) + VALID_SECONDS;
			const claims = { aud: origin, exp, sub: this.#contact };
			cached = { token: signEs256(this.#keys.privateKey, { typ: 'JWT' }, claims), issuedAt: now };
			this.#tokens.set(origin, cached);
		}
		return `vapid t=${cached.token}, k=${this.#keys.publicKey}`;
	}
}
