import type { Database } from '../store/database.ts';
import type { AddToSet, Decision } from '../store/engine/sets.ts';
import type { Db } from '../store/schema.ts';
import type { Context } from './context.ts';

/**
 * Handles a kind of request in sets: those waiting at the same time share a transaction.
 * @param run loads the data of the requests, decides each on the state left by the earlier ones, and
 *        stores the accepted ones
 */
export function inSets<Q, A>(
	run: (db: Db, context: Context, requests: readonly Q[]) => Promise<ReadonlyArray<Decision<A>>>,
): (context: Context, accountId: string, request: Q) => Promise<A> {
	// Not by context: each request from the console has its own, with its author.
	const queues = new WeakMap<Database, AddToSet<Q, A>>();
	return (context, accountId, request) => {
		const add =
			queues.get(context.database) ??
			context.database.inSets<Q, A>((db, requests) => run(db, context, requests));
		queues.set(context.database, add);
		return add(accountId, request);
	};
}

/** The result of `decide`, or its error: a rejected request does not affect the others. */
export function decision<A>(decide: () => A): Decision<A> {
	try {
		return { answer: decide() };
	} catch (error) {
		return { error };
	}
}

/** The answers of the accepted requests. */
export function accepted<A>(decisions: ReadonlyArray<Decision<A>>): A[] {
	return decisions.flatMap((one) => ('answer' in one ? [one.answer] : []));
}
