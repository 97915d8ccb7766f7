import type { Db } from '../../schema.ts';
import { StoreUnavailableError } from '../../errors.ts';
import { failBehind } from '../batcher.ts';
import type { CommitListener } from '../group-commit.ts';
import { type AddToSet, type Decision, type Member, type RunSet, settle } from '../sets.ts';
import { commitSetOnPostgres } from './transaction.ts';

/** Maximum requests of a set: the first is answered with the last. */
const REQUESTS_PER_SET = 200;

/** Concurrent sets of a kind: one runs its statements while another reaches the disk. */
const OPEN_SETS = 2;

/** Number of times an account held by another transaction waits for the next set. */
const MAX_WAITS = 2;

/** Milliseconds such an account is left out of the sets. */
const WAIT_MS = 2;

export interface PostgresSetsOptions {
	db: Db;
	/** Runs a write of one account once no other transaction holds it. */
	writeAlone: <T>(accountId: string, run: (db: Db) => Promise<T>) => Promise<T>;
	announce: (accountId: string) => void;
	onCommit: CommitListener | undefined;
}

/** Sets of one kind of request, on a database with other writing processes. */
export class PostgresSets<Q, A> {
	readonly #run: RunSet<Q, A>;
	readonly #options: PostgresSetsOptions;
	#waiting: Array<Member<Q, A>> = [];
	/** Accounts held by a set of this process, or waiting for another process. */
	readonly #held = new Set<string>();
	readonly #waits = new Map<string, number>();
	readonly #running = new Set<Promise<void>>();
	#open = 0;
	#isBegun = false;

	constructor(run: RunSet<Q, A>, options: PostgresSetsOptions) {
		this.#run = run;
		this.#options = options;
	}

	readonly add: AddToSet<Q, A> = (accountId, request) =>
		new Promise<A>((resolve, reject) => {
			this.#waiting.push({ accountId, request, resolve, reject });
			this.#begin();
		});

	/** Resolves when no request is waiting. */
	async idle(): Promise<void> {
		while (this.#waiting.length > 0 || this.#running.size > 0) {
			await Promise.all(this.#running);
			await new Promise((resolve) => setImmediate(resolve));
		}
	}

	/** Opens a set after the remaining requests of this turn have arrived. */
	#begin(): void {
		if (this.#isBegun || this.#open >= OPEN_SETS || this.#waiting.length === 0) return;
		this.#isBegun = true;
		setImmediate(() => {
			this.#isBegun = false;
			const members = this.#take();
			if (members.length === 0) return;
			this.#open += 1;
			this.#track(
				this.#commit(members).finally(() => {
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

	/** Takes the requests that may run now, in order of arrival. */
	#take(): Array<Member<Q, A>> {
		const members: Array<Member<Q, A>> = [];
		const left: Array<Member<Q, A>> = [];
		for (const member of this.#waiting) {
			const isFree = members.length < REQUESTS_PER_SET && !this.#held.has(member.accountId);
			(isFree ? members : left).push(member);
		}
		this.#waiting = left;
		return members;
	}

	async #commit(members: ReadonlyArray<Member<Q, A>>): Promise<void> {
		const { db, announce, onCommit } = this.#options;
		const accounts = [...new Set(members.map(({ accountId }) => accountId))];
		for (const account of accounts) this.#held.add(account);
		const began = performance.now();
		let done: ReadonlyArray<Member<Q, A>> = [];
		let postponed: ReadonlySet<string> = new Set();
		try {
			const decisions = await commitSetOnPostgres(db, accounts, (db, locked) => {
				done = members.filter(({ accountId }) => locked.has(accountId));
				postponed = new Set(accounts.filter((account) => !locked.has(account)));
				return this.#decide(db, done);
			});
			settle(done, decisions);
			const undecided = done.slice(decisions.length);
			done = done.slice(0, decisions.length);
			for (const account of accounts) {
				if (postponed.has(account)) continue;
				announce(account);
				this.#waits.delete(account);
			}
			const later = members.filter(({ accountId }) => postponed.has(accountId));
			this.#waiting = [...undecided, ...later, ...this.#waiting];
		} catch (error) {
			postponed = new Set();
			failBehind(this.#waiting, error, began);
			await this.#fail(members, error);
		} finally {
			onCommit?.(done.length, performance.now() - began);
			for (const account of accounts) if (!postponed.has(account)) this.#held.delete(account);
			for (const account of postponed) this.#track(this.#wait(account));
		}
	}

	/** Retries the requests one by one, as one that the database rejects must not fail the others. */
	async #fail(members: ReadonlyArray<Member<Q, A>>, error: unknown): Promise<void> {
		if (members.length === 1 || error instanceof StoreUnavailableError)
			for (const { reject } of members) reject(error);
		else for (const member of members) await this.#commit([member]);
	}

	/** Lets an account held by another transaction join a later set, or waits for its lock. */
	async #wait(accountId: string): Promise<void> {
		const waits = (this.#waits.get(accountId) ?? 0) + 1;
		this.#waits.set(accountId, waits);
		if (waits <= MAX_WAITS) await new Promise((resolve) => setTimeout(resolve, WAIT_MS));
		else await this.#commitAlone(accountId);
		this.#held.delete(accountId);
		this.#begin();
	}

	async #commitAlone(accountId: string): Promise<void> {
		const isOwn = (member: Member<Q, A>) => member.accountId === accountId;
		let members: ReadonlyArray<Member<Q, A>> = [];
		const take = () => {
			members = [...members, ...this.#waiting.filter(isOwn)];
			this.#waiting = this.#waiting.filter((member) => !isOwn(member));
		};
		try {
			const decisions = await this.#options.writeAlone(accountId, (db) => {
				take();
				return this.#decide(db, members);
			});
			settle(members, decisions);
			this.#waiting = [...members.slice(decisions.length), ...this.#waiting];
			this.#options.announce(accountId);
		} catch (error) {
			if (members.length === 0) take();
			await this.#fail(members, error);
		}
		this.#waits.delete(accountId);
	}

	#decide(db: Db, members: ReadonlyArray<Member<Q, A>>): Promise<ReadonlyArray<Decision<A>>> {
		if (members.length === 0) return Promise.resolve([]);
		return this.#run(
			db,
			members.map(({ request }) => request),
		);
	}
}
