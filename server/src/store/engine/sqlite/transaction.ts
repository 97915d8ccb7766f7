import { setTimeout } from 'node:timers/promises';
import { sql, type SqliteDatabase as KyselySqlite, type SqliteStatement } from 'kysely';
import { errorCode } from '../../errors.ts';
import { TRANSACTIONS } from '../../measured.ts';
import { type Job, type Outcomes, runJobs } from '../group-commit.ts';
import type { Db } from '../../schema.ts';
import type SqliteDatabase from 'better-sqlite3';
import { toParameters, withStatement } from '../statement.ts';
import { BoundedMap } from '../../../collections.ts';

/** Statements that begin and end a group's transaction. */
const BEGIN = 'begin immediate';
const COMMIT = 'commit';
const ROLLBACK = 'rollback';

/** The error for a statement that comes too late, with a code as in SQLite's own. */
const transactionOver = () =>
	Object.assign(new Error('SQLite has ended the transaction'), { code: 'SQLITE_ABORT' });

/** Statements kept: lists of ids produce one for each length. */
const MAX_STATEMENTS = 1_000;

/** Prepares a statement that is named in its errors. */
function naming(sql: string, connection: SqliteDatabase.Database): SqliteStatement {
	const attempt = <T>(run: () => T): T => {
		try {
			return run();
		} catch (error) {
			throw withStatement(error, sql);
		}
	};
	const prepared = attempt(() => connection.prepare(sql));
	return {
		reader: prepared.reader,
		all: (values) => attempt(() => prepared.all(toParameters(values))),
		run: (values) => attempt(() => prepared.run(toParameters(values))),
		iterate: (values) => prepared.iterate(toParameters(values)),
	};
}

/**
 * A connection for Kysely that prepares each SQL text once: on SQLite, preparing a statement takes longer
 * than running it.
 *
 * When SQLite itself ends a transaction, as on a full disk, the remaining statements would each be
 * committed separately; they are rejected instead.
 */
export function preparedOnce(connection: SqliteDatabase.Database): KyselySqlite {
	const statements = new BoundedMap<string, SqliteStatement>(MAX_STATEMENTS);
	let isInTransaction = false;
	return {
		prepare(sql) {
			if (sql === BEGIN) isInTransaction = true;
			else if (sql === COMMIT || sql === ROLLBACK) isInTransaction = false;
			else if (isInTransaction && !connection.inTransaction) throw transactionOver();
			return statements.getOr(sql, () => naming(sql, connection));
		},
		close: () => {
			statements.clear();
			connection.close();
		},
	};
}

/** Maximum wait for another process's write, such as a command's or a backup's. */
const BUSY_TIMEOUT_MS = 5_000;
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
	const deadline = performance.now() + BUSY_TIMEOUT_MS;
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
 * Commits groups one at a time, and periodically lets other processes write. SQLite has one writer at a time: later
 * groups wait here rather than at the file's lock. That lock is not a queue: under load a group begins microseconds
 * after the previous one ends, and a command on the same data directory would rarely find it free.
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
			return await runJobs(jobs, (run) => inTransaction(writer, run));
		} finally {
			isFreeSince = performance.now();
		}
	};
}

function inTransaction<T>(writer: Db, run: (db: Db) => Promise<T>): Promise<T> {
	return writer.connection().execute(async (db) => {
		await begin(db);
		const opened = performance.now();
		try {
			const result = await run(db);
			await sql.raw(COMMIT).execute(db);
			return result;
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
	});
}
