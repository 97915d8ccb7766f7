import { type QueryCompiler, SqliteAdapter, SqliteDialect, SqliteQueryCompiler } from 'kysely';

/**
 * Kysely's SQLite dialect with each parameter written `+?`: the same value, but ignored by SQLite's
 * planner (sqlite.org/queryplanner-ng.html, "query planner stability guarantee"). With STAT4, as in
 * better-sqlite3, it otherwise replans a query with a join for each run, which takes several times as
 * long as running it.
 *
 * The cost: a partial index is used only for a condition whose value is written in the query, with
 * `sql.lit`.
 */
export class SqliteWithStablePlans extends SqliteDialect {
	override createQueryCompiler(): QueryCompiler {
		return new StablePlanCompiler();
	}
}

class StablePlanCompiler extends SqliteQueryCompiler {
	protected override getCurrentParameterPlaceholder(): string {
		return '+?';
	}
}

/**
 * The same without Kysely's queue for the connection, which wakes every waiting query after each one: a
 * thousand reads took a million steps. Reads need no queue: each is one statement, which better-sqlite3 runs to
 * completion before it returns. A transaction needs it, so never begin one on such a connection.
 */
export class SqliteForReading extends SqliteWithStablePlans {
	override createAdapter(): SqliteAdapter {
		// Kysely calls this only to decide whether it needs the queue.
		return Object.defineProperty(new SqliteAdapter(), 'supportsMultipleConnections', {
			value: true,
		});
	}
}
