import { isTaken } from '../../delivery/gateway.ts';
import type { FirstAttempts } from '../../delivery/outbox.ts';
import type { DeliveryDevice, OutgoingDelivery } from '../../store/outbox/outbox.ts';
import type { Context } from '../context.ts';

export interface Recipient extends DeliveryDevice {
	user_id: string;
}

/** Deliveries stored in a transaction, to be attempted once it is committed. */
export interface Dispatch {
	recipients: readonly Recipient[];
	deliveries: OutgoingDelivery[];
}

/** Makes the first attempts; unfinished ones continue in the outbox. */
export function attempt(context: Context, dispatches: readonly Dispatch[]): Promise<FirstAttempts> {
	return context.outbox.deliverNow(dispatches.flatMap(({ deliveries }) => deliveries));
}

/**
 * Counts the devices whose gateway accepted it, or whose delivery is stored and being retried, and their
 * users (docs/api-decisions.md "Recipients and counts").
 */
export function countNotified(
	{ recipients, deliveries }: Dispatch,
	attempts: FirstAttempts,
): { devices: number; users: number } {
	const missed = new Set<string>();
	for (const { id, device } of deliveries) {
		const outcome = attempts.get(id);
		if (outcome && !isTaken(outcome) && outcome.kind !== 'retry') missed.add(device.id);
	}
	const notified = recipients.filter(({ id }) => !missed.has(id));
	const users = new Set(notified.map(({ user_id: user }) => user));
	return { devices: notified.length, users: users.size };
}
