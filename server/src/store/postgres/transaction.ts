import { createHash } from 'node:crypto';
import { sql } from 'kysely';
import { StoreUnavailableError } from '../errors.ts';
import type { Job, Settle } from '../group-commit.ts';
import type { Db } from '../schema.ts';
import { isCollision, isConnectionLost } from './errors.ts';

/** How often the jobs run at most, when other transactions come in their way or connections break. */
const MAX_ATTEMPTS = 4;

/** How long the database is asked what became of a commit whose answer was lost. */
const CERTAINTY_MS = 5_000;
const CERTAINTY_POLL_MS = 100;

/**
 * Runs the jobs, of one account or of none, in one transaction; again when another came in its way.
 * It was undone whole then, so nothing happens twice.
 */
export async function commitOnPostgres(
	db: Db,
	accountId: string | null,
	jobs: readonly Job[],
): Promise<Settle[]> {
	for (let attempt = 1; ; attempt += 1) {
		const isLast = attempt === MAX_ATTEMPTS;
		try {
			return await new Transaction(db, accountId, isLast).run(jobs);
		} catch (error) {
			if (isLast || !mayRunAgain(error)) throw error;
		}
	}
}

function mayRunAgain(error: unknown): boolean {
	if (error instanceof StoreUnavailableError)
		return !error.isUncertain && error.cause !== undefined && isSessionOver(error);
	return isCollision(error);
}

/** A connection that broke in use. One that cannot be made is waited for by whoever asks again. */
function isSessionOver({ cause }: StoreUnavailableError): boolean {
	const isRefused = cause instanceof Error && 'syscall' in cause && cause.syscall === 'connect';
	return !isRefused && isConnectionLost(cause);
}

class Transaction {
	readonly #db: Db;
	readonly #accountId: string | null;
	readonly #isLast: boolean;
	#id: string | undefined;
	#isCommitting = false;

	constructor(db: Db, accountId: string | null, isLast: boolean) {
		this.#db = db;
		this.#accountId = accountId;
		this.#isLast = isLast;
	}

	async run(jobs: readonly Job[]): Promise<Settle[]> {
		let settle: Settle[] = [];
		try {
			await this.#db.connection().execute(async (db) => {
				await this.#begin(db);
				try {
					settle = await this.#runJobs(db, jobs);
					this.#isCommitting = true;
					await commit(db);
				} catch (error) {
					await sql`rollback`.execute(db).catch(() => {
						// The connection is broken, and the transaction with it.
					});
					throw error;
				}
			});
		} catch (error) {
			if (!this.#isCommitting || !isAnswerLost(error)) throw error;
			await this.#makeSure(error);
		}
		return settle;
	}

	/** One message: waits until no other process writes for the account. */
	async #begin(db: Db): Promise<void> {
		const lock =
			this.#accountId === null ? '' : `pg_advisory_xact_lock(${lockKey(this.#accountId)}), `;
		const { rows } = await sql
			.raw<{ id: string }>(`begin; select ${lock}pg_current_xact_id()::text as id`)
			.execute(db);
		this.#id = rows[0]?.id;
	}

	async #runJobs(db: Db, jobs: readonly Job[]): Promise<Settle[]> {
		const [only] = jobs;
		if (jobs.length === 1 && only) {
			const value = await only.run(db);
			return [() => only.resolve(value)];
		}
		const settle: Settle[] = [];
		for (const job of jobs) settle.push(await this.#runInSavepoint(db, job));
		return settle;
	}

	async #runInSavepoint(db: Db, job: Job): Promise<Settle> {
		await sql`savepoint job`.execute(db);
		try {
			const value = await job.run(db);
			await sql`release job`.execute(db);
			return () => job.resolve(value);
		} catch (error) {
			if (error instanceof StoreUnavailableError || (isCollision(error) && !this.#isLast))
				throw error;
			await sql.raw('rollback to job; release job').execute(db);
			return () => job.reject(error);
		}
	}

	/**
	 * The connection broke during the commit: asks the database, once it is there again, what it did.
	 * Returns when it has committed, throws when it has not.
	 */
	async #makeSure(lost: unknown): Promise<void> {
		const deadline = Date.now() + CERTAINTY_MS;
		while (Date.now() < deadline) {
			const status = await statusOf(this.#db, this.#id).catch(() => undefined);
			if (status === 'committed') return;
			if (status === 'aborted') throw lost;
			await new Promise((resolve) => setTimeout(resolve, CERTAINTY_POLL_MS));
		}
		throw new StoreUnavailableError('The connection was lost during a commit', {
			cause: lost,
			isUncertain: true,
		});
	}
}

function isAnswerLost(error: unknown): boolean {
	return error instanceof StoreUnavailableError && isConnectionLost(error.cause);
}

async function commit(db: Db): Promise<void> {
	const { rows } = await sql<{ command: string }>`commit`.execute(db);
	// What PostgreSQL says when an error inside the transaction was swallowed.
	if (rows[0]?.command === 'ROLLBACK') throw new Error('The transaction was rolled back');
}

async function statusOf(db: Db, id: string | undefined): Promise<string | null | undefined> {
	const { rows } = await sql<{
		status: string | null;
	}>`select pg_xact_status(${id}::text::xid8) as status`.execute(db);
	return rows[0]?.status;
}

/** Accounts that happen to share a key only wait for each other. */
function lockKey(accountId: string): bigint {
	return createHash('sha256').update(`account ${accountId}`).digest().readBigInt64BE();
}
