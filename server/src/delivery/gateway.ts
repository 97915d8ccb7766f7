import type { OutgoingDelivery } from '../store/outbox.ts';

/**
 * What became of one attempt.
 * - `delivered`: the gateway took it.
 * - `retry`: it may go through later.
 * - `gone`: the device does not exist any more for its gateway; it is disconnected.
 * - `refused`: this delivery will never be taken.
 */
export type Outcome =
	{ kind: 'delivered' } | { kind: 'retry' | 'gone' | 'refused'; reason: string };

/** A way to a device: the live inbox, and whatever push service the device is registered with. */
export interface Gateway {
	/** Makes one attempt. A thrown error counts as `retry`. */
	deliver(delivery: OutgoingDelivery): Promise<Outcome>;
}
