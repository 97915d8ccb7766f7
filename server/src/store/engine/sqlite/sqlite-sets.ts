import type { Db } from '../../schema.ts';
import type { GroupCommit } from '../group-commit.ts';
import { type AddToSet, type Member, type RunSet, runSet, SetQueue } from '../sets.ts';

/**
 * Sets of one kind of request, on a store with one writer at a time. A set is a job of a group of writes, and shares
 * its transaction and sync to disk:
 *
 *     open ──> running ──> committed
 *                 └──> failed ──> a set for each member
 *
 * - open: queued, without members. While a request waits, a set is open; requests join until the transaction begins.
 * - running: has taken all waiting requests, and loads, decides and stores them. If the transaction runs again,
 *   because another job of the group has failed, the set decides again, including requests that arrived since.
 * - committed: its members are settled. Those left undecided wait again, and a set is open for them.
 * - failed: nothing is stored. Each member gets its own set, as a request that the store rejects must not fail
 *   the others; a lone member is rejected.
 *
 * Guarantees: those of `SetQueue`; a request gets its response after the commit of its set, and a failed one has stored
 * nothing.
 */
export class SqliteSets<Q, A> {
	readonly #groups: GroupCommit;
	readonly #run: RunSet<Q, A>;
	readonly #queue: SetQueue<Q, A>;

	constructor(groups: GroupCommit, run: RunSet<Q, A>, report: (error: Error) => void) {
		this.#groups = groups;
		this.#run = run;
		this.#queue = new SetQueue(report);
	}

	readonly add: AddToSet<Q, A> = (accountId, request) => {
		const result = this.#queue.add(accountId, request);
		// If others wait, a set is already open.
		if (this.#queue.size === 1) this.#open();
		return result;
	};

	/** @param lone the only member; undefined: all that wait when the transaction begins */
	#open(lone?: Member<Q, A>): void {
		const members = lone ? [lone] : [];
		const job = async (db: Db) => {
			if (!lone) members.push(...this.#queue.take());
			const decisions = await runSet(this.#run, db, members);
			const undecided = members.splice(decisions.length);
			this.#queue.putBack(undecided);
			if (undecided.length > 0) this.#open();
			return decisions;
		};
		this.#groups.run(job).then(
			(decisions) => this.#queue.settle(members, decisions),
			(error: unknown) => {
				if (members.length > 1) return members.forEach((member) => this.#open(member));
				// No transaction could begin, nor would one for those that are waiting.
				if (members.length === 0) members.push(...this.#queue.take());
				this.#queue.reject(members, error);
			},
		);
	}
}
