import type { OutgoingDelivery } from '../store/outbox.ts';

/**
 * What became of one attempt.
 * - `delivered`: the gateway took it.
 * - `retry`: it may go through later, not before `retryAfterMs` where the gateway has said so.
 * - `gone`: the device does not exist any more for its gateway, `since` a time in milliseconds since 1970
 *   where the gateway tells it; it is disconnected.
 * - `refused`: this delivery will never be taken.
 * - `no_token`: the activity's token is not valid any more; the message waits for the next one.
 */
export type Outcome =
	| { kind: 'delivered' }
	| { kind: 'retry'; reason: string; retryAfterMs?: number | undefined }
	| { kind: 'gone'; reason: string; since?: number | undefined }
	| { kind: 'no_token'; reason: string }
	| { kind: 'refused'; reason: string; isStartTokenDead?: boolean };

/** One object for all: a burst has ten thousand of it. */
export const DELIVERED: Outcome = { kind: 'delivered' };

/** A way to a device: the live inbox, and whatever push service the device is registered with. */
export interface Gateway {
	/** Makes one attempt, within `ATTEMPT_LIMIT_MS`. A thrown error counts as `retry`. */
	deliver(delivery: OutgoingDelivery): Promise<Outcome>;
	/** Attempts that may be open at a time; absent: any number. */
	readonly maxOpen?: number;
}

/** Longest time that an attempt takes; the outbox lets none begin whose lease ends sooner. */
export const ATTEMPT_LIMIT_MS = 10_000;
