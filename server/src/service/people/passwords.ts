import { randomBytes, scrypt, type ScryptOptions, timingSafeEqual } from 'node:crypto';
import { promisify } from 'node:util';
import { TooManyRequests } from '../refusal.ts';

/** The cost parameters of scrypt (RFC 7914 section 2). */
interface HashCost {
	N: number;
	r: number;
	p: number;
}

/** 32 MiB, and about a tenth of a second of one core per round (p): costly to guess, tolerable to check. */
const COST: HashCost = { N: 2 ** 15, r: 8, p: 3 };

const KEY_LENGTH = 32;
const SALT_LENGTH = 16;

/**
 * Two independent queues: one for callers known by a session, a link or an earlier sign-in of the browser, one
 * for everyone else.
 */
type Hasher = 'known' | 'anybody';

/** Queued hashes per kind: about three seconds' worth. */
const MAX_WAITING = 8;

const RETRY_AFTER_SECONDS = 3;

/**
 * Runs one hash at a time. libuv has four threads by default and shares them with name resolution: two
 * queues of hashes leave two threads for everything else.
 */
class HashQueue {
	#last: Promise<unknown> = Promise.resolve();
	#waiting = 0;

	/** @throws TooManyRequests when the queue is full */
	async take<T>(work: () => Promise<T>): Promise<T> {
		if (this.#waiting > MAX_WAITING)
			throw new TooManyRequests(
				'Too many attempts',
				'Too many people are signing in right now. Try again in a few seconds.',
				RETRY_AFTER_SECONDS,
			);
		this.#waiting += 1;
		const done = this.#last.then(work).finally(() => (this.#waiting -= 1));
		this.#last = done.catch(() => undefined);
		return done;
	}
}

const deriveKey = promisify<string, Buffer, number, ScryptOptions, Buffer>(scrypt);

function derive(password: string, salt: Buffer, { N, r, p }: HashCost): Promise<Buffer> {
	// Keyboards may encode the same letter differently; NFKC unifies them.
	const unified = password.normalize('NFKC');
	return deriveKey(unified, salt, KEY_LENGTH, { N, r, p, maxmem: 256 * N * r });
}

/** The hash as it is stored, with its parameters, so it stays valid when these are raised. */
function encode({ N, r, p }: HashCost, salt: Buffer, key: Buffer): string {
	return ['scrypt', N, r, p, salt.toString('base64url'), key.toString('base64url')].join('$');
}

/** Hashes and checks passwords. One per process, like the threads. */
export class Passwords {
	readonly #cost: HashCost;
	readonly #turns: Record<Hasher, HashQueue> = { known: new HashQueue(), anybody: new HashQueue() };

	constructor(cost = COST) {
		this.#cost = cost;
	}

	/**
	 * Hashes a new password. Only for callers with a link or a session: hashing takes a tenth of a second of
	 * one core per round.
	 * @throws TooManyRequests when too many hashes are queued
	 */
	async hash(password: string): Promise<string> {
		const salt = randomBytes(SALT_LENGTH);
		const key = await this.#turns.known.take(() => derive(password, salt, this.#cost));
		return encode(this.#cost, salt, key);
	}

	/**
	 * @param stored undefined: there is no member with this email address; the check takes equally long
	 * @throws TooManyRequests when too many hashes are queued
	 */
	async matches(password: string, stored: string | undefined, hasher: Hasher): Promise<boolean> {
		const nobody = encode(this.#cost, Buffer.alloc(SALT_LENGTH), Buffer.alloc(KEY_LENGTH));
		const [, N, r, p, salt = '', key = ''] = (stored ?? nobody).split('$');
		const cost = { N: Number(N), r: Number(r), p: Number(p) };
		const derived = await this.#turns[hasher].take(() =>
			derive(password, Buffer.from(salt, 'base64url'), cost),
		);
		return timingSafeEqual(derived, Buffer.from(key, 'base64url')) && stored !== undefined;
	}
}
