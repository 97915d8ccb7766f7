import type { AddToSet, Decision } from '../../store/engine/sets.ts';
import type { Db } from '../../store/schema.ts';
import type { Context } from '../context.ts';

/**
 * A kind of request that is stored in sets: those that wait at the same moment share a transaction.
 * @param run loads what the requests need, decides each on the state that those before it leave, and
 *        stores what is accepted
 */
export function inSets<Q, A>(
	run: (db: Db, context: Context, requests: readonly Q[]) => Promise<ReadonlyArray<Decision<A>>>,
): (context: Context, accountId: string, request: Q) => Promise<A> {
	const queues = new WeakMap<Context, AddToSet<Q, A>>();
	return (context, accountId, request) => {
		const add =
			queues.get(context) ??
			context.database.inSets<Q, A>((db, requests) => run(db, context, requests));
		queues.set(context, add);
		return add(accountId, request);
	};
}

/** What `decide` returns, or what it throws: one request that is refused leaves the others alone. */
export function decision<A>(decide: () => A): Decision<A> {
	try {
		return { answer: decide() };
	} catch (error) {
		return { error };
	}
}

/** The answers of the requests that were accepted. */
export function accepted<A>(decisions: ReadonlyArray<Decision<A>>): A[] {
	return decisions.flatMap((one) => ('answer' in one ? [one.answer] : []));
}
