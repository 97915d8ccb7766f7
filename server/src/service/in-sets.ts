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

/** Deliveries after which a set decides no more requests: storing them takes up to half a second. */
const ENOUGH_DELIVERIES = 20_000;

/**
 * Decides the requests of a set in turn until they have made enough deliveries for one transaction. The
 * others have no decision, and go into the next set.
 * @param madeBy the messages that a decided request sends
 */
export function decideInTurn<Q, A>(
	asked: readonly Q[],
	decide: (request: Q) => A,
	madeBy: (answer: A) => ReadonlyArray<{ deliveries: readonly unknown[] }>,
): Array<Decision<A>> {
	const decisions: Array<Decision<A>> = [];
	let made = 0;
	for (const request of asked) {
		if (made >= ENOUGH_DELIVERIES) break;
		const decided = decision(() => decide(request));
		if ('answer' in decided)
			for (const { deliveries } of madeBy(decided.answer)) made += deliveries.length;
		decisions.push(decided);
	}
	return decisions;
}

/** The answers of the accepted requests. */
export function accepted<A>(decisions: ReadonlyArray<Decision<A>>): A[] {
	return decisions.flatMap((one) => ('answer' in one ? [one.answer] : []));
}
