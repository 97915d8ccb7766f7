import type { Db } from '../schema.ts';
import type { GroupCommit } from './group-commit.ts';

/** The outcome of one request of a set; a refused request stores nothing. */
export type Decision<A> = { answer: A } | { error: unknown };

/**
 * Loads, decides and stores the requests of a set, in the order of arrival. Returns decisions only for the
 * first ones if these are as much as a transaction should store: the others go into the next set.
 */
export type RunSet<Q, A> = (db: Db, requests: readonly Q[]) => Promise<ReadonlyArray<Decision<A>>>;

/** Adds a request of an account to the next set; resolves when the set is durably committed. */
export type AddToSet<Q, A> = (accountId: string, request: Q) => Promise<A>;

/** A request of a set, with the callbacks for its answer. */
export interface Member<Q, A> {
	accountId: string;
	request: Q;
	resolve: (answer: A) => void;
	reject: (error: unknown) => void;
}

/** Reports the outcomes to the decided members of a committed set. */
export function settle<Q, A>(
	members: ReadonlyArray<Member<Q, A>>,
	decisions: ReadonlyArray<Decision<A>>,
): void {
	for (const [index, decision] of decisions.entries()) {
		if ('answer' in decision) members[index]?.resolve(decision.answer);
		else members[index]?.reject(decision.error);
	}
}

/**
 * Sets of a store with one writer at a time. A set is one job of a group: it takes all requests waiting
 * when the transaction reaches it, and shares the sync to disk with the other writes.
 */
export function setsInGroups<Q, A>(groups: GroupCommit, run: RunSet<Q, A>): AddToSet<Q, A> {
	let waiting: Array<Member<Q, A>> = [];

	function begin(only?: Member<Q, A>): void {
		const members = only ? [only] : [];
		const take = () => {
			if (only) return;
			members.push(...waiting);
			waiting = [];
		};
		const job = async (db: Db) => {
			// The transaction may run again, without a failed job.
			take();
			if (members.length === 0) return [];
			const decisions = await run(
				db,
				members.map(({ request }) => request),
			);
			const undecided = members.splice(decisions.length);
			waiting = [...undecided, ...waiting];
			if (undecided.length > 0) begin();
			return decisions;
		};
		groups
			.run(job, () => members.length)
			.then(
				(decisions) => settle(members, decisions),
				(error: unknown) => {
					// No transaction could be started.
					if (members.length === 0) take();
					// A request that the store rejects must not fail the others.
					else if (members.length > 1) return members.forEach((member) => begin(member));
					for (const { reject } of members) reject(error);
				},
			);
	}

	return (accountId, request) =>
		new Promise<A>((resolve, reject) => {
			waiting.push({ accountId, request, resolve, reject });
			if (waiting.length === 1) begin();
		});
}
