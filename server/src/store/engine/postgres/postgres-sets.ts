import type { Db } from '../../schema.ts';
import { States } from '../../../states.ts';
import { StoreUnavailableError } from '../../errors.ts';
import { SHARED_WRITES } from '../../measured.ts';
import { type AddToSet, type Member, type RunSet, runSet, SetQueue } from '../sets.ts';
import { commitSetOnPostgres } from './transaction.ts';

/** Maximum requests of a set: the first is answered with the last. */
const REQUESTS_PER_SET = 200;

/** Concurrent sets of a kind: one runs its statements while another reaches the disk. */
const OPEN_SETS = 2;

/** Number of times an account whose lock is taken is skipped, before a transaction waits for the lock. */
const MAX_POSTPONEMENTS = 2;

/** Milliseconds such an account is excluded from the sets. */
const POSTPONED_MS = 2;

interface PostgresSetsOptions {
	db: Db;
	/** Runs a write of one account once no other transaction holds it. */
	writeAlone: <T>(accountId: string, run: (db: Db) => Promise<T>) => Promise<T>;
	announce: (accountId: string) => void;
	/** Gets violated rules of the sets: each fails a test, and is logged by a server. */
	report: (error: Error) => void;
}

type AccountState = 'in a set' | 'postponed' | 'alone';

/**
 * Sets of one kind of request, on a database with other writing processes. An account with requests is
 *
 *     free ──> in a set ──> free
 *                  └──> postponed ──> free                   the first two times in a row
 *                           └──> alone ──> free              the third time
 *
 * - free: the next set takes its requests.
 * - `in a set`: a set of this process has its requests. Those that arrive meanwhile wait for a later set.
 * - `postponed`: another transaction, mostly of another process, holds its lock. Its requests wait again, and it is
 *   skipped for `POSTPONED_MS`, so that the accounts of the set do not wait for it.
 * - `alone`: the lock was taken three times. A separate transaction waits for it, then takes all of the account's
 *   requests.
 *
 * Guarantees, in addition to those of `SetQueue`:
 * - A set stores only requests of accounts that its transaction has locked, so that an account has one writer at a
 *   time in all processes; `write` takes the same lock.
 * - A request is answered after the commit. If the connection breaks during the commit, the database is asked for
 *   the outcome (`commitSetOnPostgres`), so that nothing is stored twice.
 * - A lock held by another process delays only its account, and that account is never skipped forever.
 */
export class PostgresSets<Q, A> {
	readonly #run: RunSet<Q, A>;
	readonly #options: PostgresSetsOptions;
	readonly #queue: SetQueue<Q, A>;
	/** The accounts that are not free. */
	readonly #accounts: States<string, AccountState>;
	/** How many times in a row an account was postponed. */
	readonly #postponements = new Map<string, number>();
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
		const answer = this.#queue.add(accountId, request);
		this.#begin();
		return answer;
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
			this.#open += 1;
			this.#track(
				this.#runSet(members).finally(() => {
					this.#open -= 1;
					this.#begin();
				}),
			);
		});
	}

	#track(work: Promise<void>): void {
		this.#running.add(work);
		void work.finally(() => this.#running.delete(work));
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
		const accounts = accountsOf(members);
		for (const account of accounts) this.#accounts.move(account, undefined, 'in a set');
		const busy = new Set<string>();
		this.#queue.putBack(await this.#commit(members, busy));
		for (const account of accounts) {
			if (busy.has(account)) this.#track(this.#postpone(account));
			else this.#accounts.move(account, 'in a set', undefined);
		}
	}

	/**
	 * Stores and settles the requests whose accounts can be locked, as far as one transaction decides them.
	 * @param busy gets the accounts whose lock another transaction holds
	 * @returns the requests that must wait again
	 */
	async #commit(
		members: ReadonlyArray<Member<Q, A>>,
		busy: Set<string>,
	): Promise<Array<Member<Q, A>>> {
		const { db, announce } = this.#options;
		const began = performance.now();
		let writes = 0;
		try {
			const { locked, decisions } = await commitSetOnPostgres(
				db,
				accountsOf(members),
				// May run again, with other accounts locked.
				async (db, locked) => {
					const own = members.filter(({ accountId }) => locked.has(accountId));
					writes = own.length;
					return { locked, decisions: await runSet(this.#run, db, own) };
				},
			);
			writes = decisions.length;
			const { own = [], others = [] } = Object.groupBy(members, ({ accountId }) =>
				locked.has(accountId) ? 'own' : 'others',
			);
			const undecided = this.#queue.settle(own, decisions);
			for (const account of accountsOf(others)) busy.add(account);
			for (const account of locked) {
				announce(account);
				this.#postponements.delete(account);
			}
			return [...undecided, ...others];
		} catch (error) {
			this.#queue.failBehind(error, began);
			return await this.#retryAlone(members, error, busy);
		} finally {
			SHARED_WRITES.publish(writes);
		}
	}

	/**
	 * Runs the requests of a failed set again, each alone: one that the database rejects must not fail the others. A
	 * lone one is rejected, as are all if the database cannot be reached.
	 * @returns the requests that must wait again
	 */
	async #retryAlone(
		members: ReadonlyArray<Member<Q, A>>,
		error: unknown,
		busy: Set<string>,
	): Promise<Array<Member<Q, A>>> {
		if (members.length === 1 || error instanceof StoreUnavailableError) {
			this.#queue.reject(members, error);
			return [];
		}
		const left: Array<Member<Q, A>> = [];
		for (const member of members) {
			// Not before an earlier request of its account.
			if (busy.has(member.accountId)) left.push(member);
			else left.push(...(await this.#commit([member], busy)));
		}
		return left;
	}

	/** Skips an account whose lock is taken or, after a few times, waits for the lock. */
	async #postpone(accountId: string): Promise<void> {
		const count = (this.#postponements.get(accountId) ?? 0) + 1;
		const isAlone = count > MAX_POSTPONEMENTS;
		this.#postponements.set(accountId, count);
		this.#accounts.move(accountId, 'in a set', 'postponed');
		if (isAlone) await this.#commitAlone(accountId);
		else await new Promise((resolve) => setTimeout(resolve, POSTPONED_MS));
		this.#accounts.move(accountId, isAlone ? 'alone' : 'postponed', undefined);
		this.#begin();
	}

	async #commitAlone(accountId: string): Promise<void> {
		const { writeAlone, announce } = this.#options;
		this.#accounts.move(accountId, 'postponed', 'alone');
		const members: Array<Member<Q, A>> = [];
		const take = () =>
			members.push(...this.#queue.take((member) => member.accountId === accountId));
		try {
			const decisions = await writeAlone(accountId, (db) => {
				take();
				return runSet(this.#run, db, members);
			});
			this.#queue.putBack(this.#queue.settle(members, decisions));
			announce(accountId);
		} catch (error) {
			// The lock could not be acquired.
			if (members.length === 0) take();
			this.#queue.putBack(await this.#retryAlone(members, error, new Set()));
		}
		this.#postponements.delete(accountId);
	}
}

function accountsOf(members: ReadonlyArray<{ accountId: string }>): string[] {
	return [...new Set(members.map(({ accountId }) => accountId))];
}
