import { isTaken } from '../delivery/gateway.ts';
import { type FirstAttempts, LEASE_MS } from '../delivery/outbox.ts';
import { insertMessage } from '../store/outbox/messages.ts';
import { devicesThatMuted } from '../store/phones/muted-channels.ts';
import {
	type DeliveryDevice,
	insertDeliveries,
	type OutgoingDelivery,
} from '../store/outbox/outbox.ts';
import type { Db, NewMessage } from '../store/schema.ts';
import type { Context } from './context.ts';

export interface Recipient extends DeliveryDevice {
	user_id: string;
}

/** Deliveries stored in a transaction, to be attempted once it is committed. */
export interface Dispatch {
	recipients: readonly Recipient[];
	deliveries: OutgoingDelivery[];
}

/**
 * Stores a message and one delivery per recipient. A delivery is muted if the recipient has muted every
 * channel it was sent through; without channels, none is.
 */
export async function storeDispatch(
	db: Db,
	context: Context,
	message: Omit<NewMessage, 'created_at'>,
	{ devices: recipients, slugs }: { devices: readonly Recipient[]; slugs: string[] | null },
): Promise<Dispatch & { messageId: number }> {
	const now = context.now();
	const muted = slugs ? await devicesThatMuted(db, message.account_id, slugs) : undefined;
	const stored = await insertMessage(db, { ...message, created_at: now });
	const deliveries = await insertDeliveries(db, stored, recipients, {
		now,
		leaseMs: LEASE_MS,
		...(muted && { muted }),
	});
	return { recipients, deliveries, messageId: stored.id };
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
