import { sql } from 'kysely';
import type { Db } from './schema.ts';

interface Job {
	run: (db: Db) => Promise<unknown>;
	resolve: (value: unknown) => void;
	reject: (error: unknown) => void;
}

/** Told of every transaction: the writes that shared it, and how long it took, its commit included. */
export type CommitListener = (writes: number, milliseconds: number) => void;

/**
 * Writes that arrive in one turn of the event loop share one transaction, a savepoint each.
 *
 * A commit costs a sync to disk, whatever it holds, and SQLite has one writer at a time. Alone,
 * each request would pay for its own sync while the others queue; together, they share it. The
 * price: a job waits for the others of its group, microseconds each.
 */
export class GroupCommit {
	readonly #db: Db;
	readonly #onCommit: CommitListener | undefined;
	#queue: Job[] = [];
	#draining: Promise<void> | undefined;

	constructor(db: Db, onCommit?: CommitListener) {
		this.#db = db;
		this.#onCommit = onCommit;
	}

	run<T>(job: (db: Db) => Promise<T>): Promise<T> {
		return new Promise<T>((resolve, reject) => {
			this.#queue.push({ run: job, resolve: resolve as (value: unknown) => void, reject });
			this.#draining ??= this.#drain();
		});
	}

	/** Resolves when nothing waits to be written. */
	async idle(): Promise<void> {
		while (this.#draining) await this.#draining;
	}

	async #drain(): Promise<void> {
		// Let the rest of this turn's requests join the group.
		await new Promise((resolve) => setImmediate(resolve));
		while (this.#queue.length > 0) await this.#commit(this.#queue.splice(0));
		this.#draining = undefined;
	}

	async #commit(group: Job[]): Promise<void> {
		let settle: Array<() => void> = [];
		const began = performance.now();
		try {
			await this.#db.connection().execute(async (db) => {
				await sql`begin immediate`.execute(db);
				try {
					for (const job of group) settle.push(await this.#runInSavepoint(db, job));
					await sql`commit`.execute(db);
				} catch (error) {
					await sql`rollback`.execute(db).catch(() => {
						// SQLite has rolled back by itself, as it does when the disk is full.
					});
					throw error;
				}
			});
		} catch (error) {
			settle = group.map((job) => () => job.reject(error));
		}
		this.#onCommit?.(group.length, performance.now() - began);
		for (const tell of settle) tell();
	}

	async #runInSavepoint(db: Db, job: Job): Promise<() => void> {
		await sql`savepoint job`.execute(db);
		try {
			const value = await job.run(db);
			await sql`release job`.execute(db);
			return () => job.resolve(value);
		} catch (error) {
			await sql`rollback to job`.execute(db);
			await sql`release job`.execute(db);
			return () => job.reject(error);
		}
	}
}
