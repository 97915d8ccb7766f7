import { type QueryCompiler, SqliteDialect, SqliteQueryCompiler } from 'kysely';

/**
 * Kysely's SQLite dialect with each parameter written `+?`: the same value, but ignored by SQLite's
 * planner (sqlite.org/queryplanner-ng.html, "query planner stability guarantee"). With STAT4, as in
 * better-sqlite3, it otherwise plans a query with a join anew for each run, which takes several times as
 * long as running it.
 *
 * The price: a partial index is used only for a condition whose value is written in the query, with
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
