import type { Db } from '../../schema.ts';
import { States } from '../../../collections.ts';
import { StoreUnavailableError } from '../../errors.ts';
import { type AddToSet, type Member, type RunSet, runSet, SetQueue } from '../sets.ts';
import { commitSetOnPostgres } from './transaction.ts';

/** Maximum requests per set: the first has to wait for the last. */
const REQUESTS_PER_SET = 200;

/** Concurrent sets of a kind: one runs its statements while another reaches the disk. */
const OPEN_SETS = 2;

interface PostgresSetsOptions {
	db: Db;
	announce: (accountId: string) => void;
	/** Receives invariant violations: tests fail on them, servers log them. */
	report: (error: Error) => void;
}

/**
 * Sets of one kind of request, on a database with other writing processes. An account with requests is
 *
 *     free ──> in a set ──> free
 *                  └──> waiting ──> free
 *
 * - free: the next set takes its requests.
 * - `in a set`: a set of this process has its requests. Those that arrive meanwhile wait for a later set.
 * - `waiting`: its lock is held by another transaction, usually of another process, or its set was full. A further
 *   transaction now waits for its lock, and for those of the set's other accounts in this state.
 *
 * Guarantees, in addition to those of `SetQueue`:
 * - A set stores only requests of accounts that its transaction has locked, so that an account has one writer at a
 *   time in all processes; `write` takes the same lock.
 * - A request gets its response after the commit. If the connection breaks during the commit, the database is asked for
 *   the outcome (`commitSetOnPostgres`), so that nothing is stored twice.
 * - A lock held by another process delays only its account, and the accounts of the same set whose locks were held at
 *   the same time.
 */
export class PostgresSets<Q, A> {
	readonly #run: RunSet<Q, A>;
	readonly #options: PostgresSetsOptions;
	readonly #queue: SetQueue<Q, A>;
	/** The accounts that are not free. */
	readonly #accounts: States<string, 'in a set' | 'waiting'>;
	readonly #running = new Set<Promise<void>>();
	#open = 0;
	#isBegun = false;

	constructor(run: RunSet<Q, A>, options: PostgresSetsOptions) {
		this.#run = run;
		this.#options = options;
		this.#queue = new SetQueue(options.report);
		this.#accounts = new States('account', options.report);
	}

	readonly add: AddToSet<Q, A> = (accountId, request) => {
		const result = this.#queue.add(accountId, request);
		this.#begin();
		return result;
	};

	/** Resolves when no request is waiting. */
	async idle(): Promise<void> {
		while (this.#queue.size > 0 || this.#running.size > 0) {
			await Promise.all(this.#running);
			await new Promise((resolve) => setImmediate(resolve));
		}
	}

	/** Opens a set after the remaining requests of this turn have arrived. */
	#begin(): void {
		if (this.#isBegun || this.#open >= OPEN_SETS || this.#queue.size === 0) return;
		this.#isBegun = true;
		setImmediate(() => {
			this.#isBegun = false;
			const members = this.#takeFree();
			if (members.length === 0) return;
			const running = this.#runSet(members).finally(() => this.#running.delete(running));
			this.#running.add(running);
		});
	}

	/** Takes the requests of free accounts, as many as a set may have. */
	#takeFree(): Array<Member<Q, A>> {
		let room = REQUESTS_PER_SET;
		return this.#queue.take(({ accountId }) => {
			const isTaken = room > 0 && !this.#accounts.has(accountId);
			if (isTaken) room -= 1;
			return isTaken;
		});
	}

	async #runSet(members: ReadonlyArray<Member<Q, A>>): Promise<void> {
		for (const account of accountsOf(members)) this.#accounts.move(account, undefined, 'in a set');
		this.#open += 1;
		let left = await this.#commit(members, false);
		this.#open -= 1;
		const waiting = new Set(accountsOf(left));
		for (const account of accountsOf(members))
			this.#accounts.move(account, 'in a set', waiting.has(account) ? 'waiting' : undefined);
		this.#begin();
		while (left.length > 0) left = await this.#commit(left, true);
		for (const account of waiting) this.#accounts.move(account, 'waiting', undefined);
		this.#begin();
	}

	/**
	 * Stores and settles the requests of accounts that it can lock, as far as one transaction decides them. One that
	 * the database rejects must not fail the others, so those of a failed transaction run again, each alone.
	 * @param waits whether it waits for locks that other transactions hold
	 * @returns the requests that it has not settled
	 */
	async #commit(
		members: ReadonlyArray<Member<Q, A>>,
		waits: boolean,
	): Promise<Array<Member<Q, A>>> {
		const { db, announce } = this.#options;
		const began = performance.now();
		try {
			// May run again, with other accounts locked.
			const run = async (db: Db, locked: ReadonlySet<string>) => {
				const taken = members.filter(({ accountId }) => locked.has(accountId));
				return { locked, taken, decisions: await runSet(this.#run, db, taken) };
			};
			const accounts = accountsOf(members);
			const { locked, taken, decisions } = await commitSetOnPostgres(db, accounts, run, waits);
			const others = members.filter(({ accountId }) => !locked.has(accountId));
			for (const account of locked) announce(account);
			return [...this.#queue.settle(taken, decisions), ...others];
		} catch (error) {
			this.#queue.failBehind(error, began);
			if (members.length > 1 && !(error instanceof StoreUnavailableError))
				for (const member of members) await this.#commit([member], true);
			else this.#queue.reject(members, error);
			return [];
		}
	}
}

function accountsOf(members: ReadonlyArray<{ accountId: string }>): string[] {
	return [...new Set(members.map(({ accountId }) => accountId))];
}
