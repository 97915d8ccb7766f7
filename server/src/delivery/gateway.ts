import { ACTIVITY_LIFETIME_MS, DAY_MS, HOUR_MS } from '../durations.ts';
import type { OutgoingDelivery } from '../store/outbox/deliveries.ts';

/**
 * The outcome of one attempt.
 * - `stored`: it is in the phone's inbox, and this gateway does no more; an open page reads it immediately.
 * - `handed_over`: the push service accepted it.
 * - `told`: the phone's open page was told to read it. Until it acknowledges, the delivery is pending, and its push
 *   service follows after `ACKNOWLEDGE_MS`.
 * - `retry`: it may succeed later, not before `retryAfterMs` if the gateway has set it. `isUnsubscribed`: the browser's
 *   subscription has ended and is forgotten, so the next attempt takes another way; the phone stays paired.
 * - `gone`: the device no longer exists for its gateway (`since`: milliseconds since 1970, if the
 *   gateway reports it); the device is disconnected.
 * - `refused`: this delivery will never be accepted.
 * - `no_token`: the activity's token is no longer valid; the message waits for the next one.
 */
export type Outcome =
	| Success
	| { kind: 'retry'; reason: string; retryAfterMs?: number | undefined; isUnsubscribed?: true }
	| { kind: 'gone'; reason: string; since?: number | undefined }
	| { kind: 'no_token'; reason: string }
	| { kind: 'refused'; reason: string; isStartTokenDead?: boolean };

export interface Success {
	kind: 'stored' | 'handed_over' | 'told';
	/** How it was sent, for the history, if not as its kind says. */
	note?: string;
}

/** One shared object: a burst has ten thousand outcomes. */
export const STORED: Success = { kind: 'stored' };
export const HANDED_OVER: Success = { kind: 'handed_over' };

export const TOLD: Success = { kind: 'told' };

/** True if the attempt succeeded, as far as the server can tell. */
export function isSuccess(outcome: Outcome): outcome is Success {
	return ['stored', 'handed_over', 'told'].includes(outcome.kind);
}

/** A way to a device: the inbox, or the push service it is registered with. */
export interface Gateway {
	/** Makes one attempt, within `MAX_ATTEMPT_MS`. A thrown error counts as `retry`. */
	deliver(delivery: OutgoingDelivery): Promise<Outcome>;
	/** Concurrent attempts; no limit if absent. */
	readonly maxOpen?: number;
	/** Concurrent attempts per account instead, where phones choose the servers, and may choose one that hangs. */
	readonly maxOpenPerAccount?: number;
	/** Attempts begun in a turn of the event loop, which requests share; PER_TURN if absent. */
	readonly perTurn?: number;
}

/** Minimum milliseconds that an open page has to acknowledge before the push service is called. */
export const ACKNOWLEDGE_MS = 9_000;

/** Milliseconds over which those calls are spread: one slow second of the server delays all of its pages. */
export const SPREAD_MS = 2_000;

/** Attempts begun in a turn of the event loop that call no push service. */
export const PER_TURN = 250;

/** Longest time an attempt may take; the outbox begins none with less of its lease left. */
export const MAX_ATTEMPT_MS = 10_000;

/** Seconds a push service keeps a push for a phone that is off. */
export const KEEP_SECONDS = (3 * DAY_MS) / 1_000;

/** Seconds it keeps a message about a Live Activity. */
export const ACTIVITY_SECONDS = ACTIVITY_LIFETIME_MS / 1_000;

const FIRST_WAIT_MS = 5_000;
/** The longest wait, even if a gateway asks for more: a delivery must not be forgotten. */
const MAX_WAIT_MS = HOUR_MS;

/** Attempts before a delivery is given up: about four hours, with the waits below. */
export const MAX_ATTEMPTS = 15;

/**
 * Milliseconds to wait after the given number of failed attempts (1 or more): doubles from 5 s to an hour, with
 * equal jitter, so devices that failed together are not retried together.
 */
export function backoffMs(attempts: number, random: () => number = Math.random): number {
	const ceiling = Math.min(FIRST_WAIT_MS * 2 ** (attempts - 1), MAX_WAIT_MS);
	return Math.round(ceiling / 2 + (random() * ceiling) / 2);
}

/**
 * Milliseconds to wait as a Retry-After header says, in seconds or as an HTTP date (RFC 9110 section 10.2.3); undefined
 * if it is missing or unreadable.
 */
export function retryAfterMs(header: string | undefined, now: number): number | undefined {
	if (header === undefined) return undefined;
	const wait = /^\d+$/.test(header) ? Number(header) * 1_000 : Date.parse(header) - now;
	return Number.isNaN(wait) ? undefined : Math.min(Math.max(wait, 0), MAX_WAIT_MS);
}
