import { PENDING } from '../engine/dialect.ts';
import type { Db } from '../schema.ts';

export interface Backlog {
	pending: number;
	/** Time the oldest was accepted, in milliseconds since 1970; undefined: none is pending. */
	oldestAt: number | undefined;
}

/** Measures the outbox. Reads the index of pending deliveries, however long the history is. */
export async function readBacklog(db: Db): Promise<Backlog> {
	// Counted together with the minimum, which alone would scan all deliveries by id.
	const { pending, oldest } = await db
		.selectFrom('deliveries')
		.where('state', '=', PENDING)
		.select(({ fn }) => [
			fn.countAll<number>().as('pending'),
			fn.min<number | null>('id').as('oldest'),
		])
		.executeTakeFirstOrThrow();
	const message =
		oldest === null
			? undefined
			: await db
					.selectFrom('deliveries')
					.innerJoin('messages', 'messages.id', 'deliveries.message_id')
					.where('deliveries.id', '=', oldest)
					.select('messages.created_at')
					.executeTakeFirst();
	return { pending, oldestAt: message?.created_at };
}

/**
 * Measures the updates and ends of Live Activities that wait for the activity's token. Reads the index of
 * queued messages.
 * @param since leaves out earlier ones: iOS has ended their activities, and no token will arrive
 */
export async function readTokenBacklog(db: Db, since: number): Promise<Backlog> {
	const { pending, oldest } = await db
		.selectFrom('activity_devices')
		.innerJoin('messages', 'messages.id', 'activity_devices.queued_message_id')
		.where('activity_devices.queued_message_id', 'is not', null)
		.where('messages.created_at', '>=', since)
		.select(({ fn }) => [
			fn.countAll<number>().as('pending'),
			fn.min<number | null>('messages.created_at').as('oldest'),
		])
		.executeTakeFirstOrThrow();
	return { pending, oldestAt: oldest ?? undefined };
}
