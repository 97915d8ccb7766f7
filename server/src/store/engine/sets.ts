import { strict as assert } from 'node:assert';
import type { Db } from '../schema.ts';
import { toHangError, limitWaits } from './batcher.ts';

/** The outcome of one request of a set; a rejected request stores nothing. */
export type Decision<A> = { result: A } | { error: unknown };

/** The result of `decide`, or its error: a rejected request does not affect the others. */
export function decision<A>(decide: () => A): Decision<A> {
	try {
		return { result: decide() };
	} catch (error) {
		return { error };
	}
}

/** The results of the accepted requests. */
export function accepted<A>(decisions: ReadonlyArray<Decision<A>>): A[] {
	return decisions.flatMap((outcome) => ('result' in outcome ? [outcome.result] : []));
}

/**
 * Loads, decides and stores the requests of a set, in the order of arrival. Returns decisions only for the
 * first ones if these fill a transaction: the others go into the next set.
 */
export type RunSet<Q, A> = (db: Db, requests: readonly Q[]) => Promise<ReadonlyArray<Decision<A>>>;

/** Adds a request of an account to the next set; resolves when the set is durably committed. */
export type AddToSet<Q, A> = (accountId: string, request: Q) => Promise<A>;

/** A request, with the callbacks for its result. */
export interface Member<Q, A> {
	state: 'waiting' | 'taken' | 'settled';
	accountId: string;
	request: Q;
	since: number;
	resolve: (result: A) => void;
	reject: (error: unknown) => void;
}

/**
 * The requests of one kind that have no result yet:
 *
 *     waiting <──> taken ──> settled
 *
 * - `waiting`: in the order of arrival, for a set to take it.
 * - `taken`: in one set. What the set cannot decide waits again, before all that have come since.
 * - `settled`: accepted or refused after the commit of its set; or rejected with the store's error, or after five
 *   seconds of waiting, with nothing stored.
 *
 * Guarantees: a request is in one set at a time, and is settled once. Requests of an account stay in order, except
 * those that run again alone after their set has failed.
 */
export class SetQueue<Q, A> {
	#waiting: Array<Member<Q, A>> = [];
	readonly #report: (error: Error) => void;
	readonly #limitWaits = limitWaits(
		() => this.#waiting[0]?.since,
		(time, error) => {
			const late = this.take(({ since }) => since <= time);
			this.reject(late, error);
		},
	);

	/** @param report gets violated rules of the queue: each fails a test, and is logged by a server */
	constructor(report: (error: Error) => void) {
		this.#report = report;
	}

	/** The number of waiting requests. */
	get size(): number {
		return this.#waiting.length;
	}

	add(accountId: string, request: Q): Promise<A> {
		return new Promise<A>((resolve, reject) => {
			const since = performance.now();
			this.#waiting.push({ state: 'waiting', accountId, request, since, resolve, reject });
			this.#limitWaits();
		});
	}

	/** Takes waiting requests, in order. */
	take(isWanted: (member: Member<Q, A>) => boolean = () => true): Array<Member<Q, A>> {
		const taken: Array<Member<Q, A>> = [];
		const left: Array<Member<Q, A>> = [];
		for (const member of this.#waiting) (isWanted(member) ? taken : left).push(member);
		this.#waiting = left;
		for (const member of taken) this.#move(member, 'waiting', 'taken');
		return taken;
	}

	putBack(members: ReadonlyArray<Member<Q, A>>): void {
		for (const member of members) this.#move(member, 'taken', 'waiting');
		this.#waiting = [...members, ...this.#waiting];
		this.#limitWaits();
	}

	/** Reports the decisions of a committed set to its first members. @returns those without a decision */
	settle(members: ReadonlyArray<Member<Q, A>>, decisions: ReadonlyArray<Decision<A>>) {
		for (const [index, decision] of decisions.entries()) {
			const member = members[index];
			if (!member) continue;
			this.#move(member, 'taken', 'settled');
			if ('result' in decision) member.resolve(decision.result);
			else member.reject(decision.error);
		}
		return members.slice(decisions.length);
	}

	reject(members: ReadonlyArray<Member<Q, A>>, error: unknown): void {
		for (const member of members) {
			this.#move(member, 'taken', 'settled');
			member.reject(error);
		}
	}

	/** Rejects requests waiting behind a set that failed because the store hangs. */
	failBehind(error: unknown, began: number): void {
		const hang = toHangError(error, began);
		if (hang) this.reject(this.take(), hang);
	}

	#move(member: Member<Q, A>, from: Member<Q, A>['state'], to: Member<Q, A>['state']): void {
		const { state } = member;
		member.state = to;
		if (state !== from) this.#report(new Error(`A request is ${to}, and was ${state}`));
	}
}

/** @throws if the set decides no request, or more than it has: its transaction is undone */
export async function runSet<Q, A>(
	run: RunSet<Q, A>,
	db: Db,
	members: ReadonlyArray<Member<Q, A>>,
): Promise<ReadonlyArray<Decision<A>>> {
	if (members.length === 0) return [];
	const requests = members.map(({ request }) => request);
	const decisions = await run(db, requests);
	assert.ok(decisions.length > 0 && decisions.length <= members.length);
	return decisions;
}
