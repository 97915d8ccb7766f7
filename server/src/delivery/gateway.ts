import type { OutgoingDelivery } from '../store/outbox/outbox.ts';

/**
 * What became of one attempt.
 * - `stored`: it is in the phone's inbox, which is all that this way does; an open page looks there at once.
 * - `handed_over`: the push service took it.
 * - `retry`: it may go through later, not before `retryAfterMs` where the gateway has said so.
 * - `gone`: the device does not exist any more for its gateway, `since` a time in milliseconds since 1970
 *   where the gateway tells it; it is disconnected.
 * - `refused`: this delivery will never be taken.
 * - `no_token`: the activity's token is not valid any more; the message waits for the next one.
 */
export type Outcome =
	| Taken
	| { kind: 'retry'; reason: string; retryAfterMs?: number | undefined }
	| { kind: 'gone'; reason: string; since?: number | undefined }
	| { kind: 'no_token'; reason: string }
	| { kind: 'refused'; reason: string; isStartTokenDead?: boolean };

export interface Taken {
	kind: 'stored' | 'handed_over';
}

/** One object for all: a burst has ten thousand of it. */
export const STORED: Taken = { kind: 'stored' };
export const HANDED_OVER: Taken = { kind: 'handed_over' };

/** Whether the attempt succeeded, as far as the server can tell. */
export function isTaken(outcome: Outcome): outcome is Taken {
	return outcome.kind === 'stored' || outcome.kind === 'handed_over';
}

/** A way to a device: the live inbox, and whatever push service the device is registered with. */
export interface Gateway {
	/** Makes one attempt, within `ATTEMPT_LIMIT_MS`. A thrown error counts as `retry`. */
	deliver(delivery: OutgoingDelivery): Promise<Outcome>;
	/** Attempts that may be open at a time; absent: any number. */
	readonly maxOpen?: number;
}

/** Longest time that an attempt takes; the outbox lets none begin whose lease ends sooner. */
export const ATTEMPT_LIMIT_MS = 10_000;
