import { setTimeout } from 'node:timers/promises';
import { sql } from 'kysely';
import { errorCode } from '../../errors.ts';
import { TRANSACTIONS } from '../../measured.ts';
import type { Job } from '../group-commit.ts';
import { BEGIN, COMMIT, ROLLBACK } from './prepared-once.ts';
import { commitIsolatingFailures, type Outcomes, runJobs } from '../run-jobs.ts';
import type { Db } from '../../schema.ts';

/** Maximum wait for another process's write, such as a command's or a backup's. */
const BUSY_LIMIT_MS = 5_000;
const BUSY_RETRY_MS = 1;

/** Duration of continuous writing, and of the pause that then leaves the file's lock free. */
const TURN_MS = 500;
const PAUSE_MS = 5;

/**
 * Takes the file's lock. SQLite's busy timeout would block this process while waiting, so the lock is
 * retried instead.
 * @throws the error `SQLITE_BUSY` of better-sqlite3 when the lock is not free in time
 */
async function begin(db: Db): Promise<void> {
	const deadline = performance.now() + BUSY_LIMIT_MS;
	for (;;) {
		try {
			await sql.raw(BEGIN).execute(db);
			return;
		} catch (error) {
			const isBusy = errorCode(error).startsWith('SQLITE_BUSY');
			if (!isBusy || performance.now() >= deadline) throw error;
		}
		await setTimeout(BUSY_RETRY_MS);
	}
}

/**
 * Commits groups one at a time, as `commitOnSqlite` does, and periodically lets other processes write. SQLite's
 * lock is not a queue: under load a group begins microseconds after the previous one ends, and a command
 * on the same data directory would rarely find the lock free.
 */
export function committerOnSqlite(writer: Db): (jobs: readonly Job[]) => Promise<Outcomes> {
	let isFreeSince = -Infinity;
	let hadPauseAt = -Infinity;
	return async (jobs) => {
		const now = performance.now();
		if (now - isFreeSince >= PAUSE_MS) hadPauseAt = now;
		if (now - hadPauseAt >= TURN_MS) {
			await setTimeout(PAUSE_MS);
			hadPauseAt = performance.now();
		}
		try {
			return await commitOnSqlite(writer, jobs);
		} finally {
			isFreeSince = performance.now();
		}
	};
}

/**
 * Runs the jobs in one transaction. SQLite has one writer at a time: later groups wait here rather than at
 * the file's lock. A job that throws does not undo the others: in the next attempt it gets a savepoint.
 * Only such jobs get one, as SQLite copies every page first changed after a savepoint.
 */
export function commitOnSqlite(writer: Db, jobs: readonly Job[]): Promise<Outcomes> {
	return commitIsolatingFailures(jobs, (alone) =>
		writer.connection().execute(async (db) => {
			await begin(db);
			const opened = performance.now();
			try {
				const outcomes = await runJobs(db, jobs, { alone });
				await sql.raw(COMMIT).execute(db);
				return outcomes;
			} catch (error) {
				await sql
					.raw(ROLLBACK)
					.execute(db)
					.catch(() => {
						// SQLite has already rolled back, as it does when the disk is full.
					});
				throw error;
			} finally {
				TRANSACTIONS.publish(performance.now() - opened);
			}
		}),
	);
}
