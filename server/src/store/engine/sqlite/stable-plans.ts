import { type QueryCompiler, SqliteDialect, SqliteQueryCompiler } from 'kysely';

/**
 * SQLite as Kysely speaks it, with each parameter written `+?`: the same value, but none that SQLite's
 * planner looks at (sqlite.org/queryplanner-ng.html, "query planner stability guarantee"). Built with
 * STAT4, as better-sqlite3 is, it otherwise plans a query with a join anew each time that it is run,
 * which takes several times as long as to run it.
 *
 * The price: a partial index is only found by a condition whose value is written in the query, with
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
