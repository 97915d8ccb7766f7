import { PENDING } from '../engine/dialect.ts';
import type { Db } from '../schema.ts';

export interface Backlog {
	/** Number of pending deliveries. */
	pending: number;
	/** Time the oldest of them was accepted, in milliseconds since 1970; undefined: none is pending. */
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
