import { setTimeout } from 'node:timers/promises';
import { sql } from 'kysely';
import type { Job, Settle } from '../group-commit.ts';
import type { Db } from '../schema.ts';

/** How long a write waits for another process's write, such as a command's or a backup's, to finish. */
const BUSY_LIMIT_MS = 5_000;
const BUSY_RETRY_MS = 1;

/** How long write may follow upon write, and then how long the file's lock is left alone. */
const TURN_MS = 500;
const PAUSE_MS = 5;

/**
 * Takes the file's lock. SQLite's own busy timeout would wait for it without giving way to anything
 * else in this process, so it is asked again and again instead.
 * @throws the error `SQLITE_BUSY` of better-sqlite3 when the lock is not free in time
 */
async function begin(db: Db): Promise<void> {
	const deadline = performance.now() + BUSY_LIMIT_MS;
	for (;;) {
		try {
			await sql`begin immediate`.execute(db);
			return;
		} catch (error) {
			const code = error instanceof Error && 'code' in error ? String(error.code) : '';
			const isBusy = code.startsWith('SQLITE_BUSY');
			if (!isBusy || performance.now() >= deadline) throw error;
		}
		await setTimeout(BUSY_RETRY_MS);
	}
}

/**
 * Commits group after group, as `commitOnSqlite` does, and now and then lets other processes write.
 * SQLite's lock is no queue: under load a group begins microseconds after the one before it has
 * ended, and a command on the same data directory would hardly ever find the lock free.
 */
export function committerOnSqlite(writer: Db): (jobs: readonly Job[]) => Promise<Settle[]> {
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
 * Runs the jobs in one transaction. SQLite has one writer at a time, so whoever would come next waits
 * here rather than in the file's lock.
 *
 * A job that throws must not undo the others. A savepoint each would see to it, but SQLite copies
 * every page that a savepoint is the first to change, which costs more than the job; and jobs throw
 * seldom. So the group begins without, and again with them when a job has thrown.
 */
export async function commitOnSqlite(writer: Db, jobs: readonly Job[]): Promise<Settle[]> {
	try {
		return await commit(writer, jobs, succeed);
	} catch (error) {
		if (!(error instanceof JobFailed)) throw error;
		return commit(writer, jobs, runInSavepoint);
	}
}

class JobFailed extends Error {}

async function commit(
	writer: Db,
	jobs: readonly Job[],
	run: (db: Db, job: Job) => Promise<Settle>,
): Promise<Settle[]> {
	const settle: Settle[] = [];
	await writer.connection().execute(async (db) => {
		await begin(db);
		try {
			for (const job of jobs) settle.push(await run(db, job));
			await sql`commit`.execute(db);
		} catch (error) {
			await sql`rollback`.execute(db).catch(() => {
				// SQLite has rolled back by itself, as it does when the disk is full.
			});
			throw error;
		}
	});
	return settle;
}

async function succeed(db: Db, job: Job): Promise<Settle> {
	try {
		const value = await job.run(db);
		return () => job.resolve(value);
	} catch (error) {
		throw new JobFailed('A job of the group has failed', { cause: error });
	}
}

async function runInSavepoint(db: Db, job: Job): Promise<Settle> {
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
