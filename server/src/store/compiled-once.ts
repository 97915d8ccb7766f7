import type { Compilable, CompiledQuery, DialectAdapter } from 'kysely';
import type { Db } from './schema.ts';

/** Stands in a query where each run puts a value of its own. */
class Placeholder<V> {
	readonly of: (values: V) => unknown;

	constructor(of: (values: V) => unknown) {
		this.of = of;
	}
}

/** Names a value that each run brings. */
export type Values<V> = <T>(of: (values: V) => T) => T;

/**
 * A query whose text is made once for each kind of store: to make it takes several times as long as
 * SQLite takes to run it. For the queries that every request makes; a null has its place in `=` no
 * more than in any other query.
 * @param build makes the query
 */
export function compiledOnce<V, R>(
	build: (db: Db, the: Values<V>) => Compilable<R>,
): (db: Db, values: V) => Promise<R[]> {
	const queries = new WeakMap<DialectAdapter, CompiledQuery<R>>();
	return async (db, values) => {
		const { adapter } = db.getExecutor();
		let query = queries.get(adapter);
		if (!query) {
			query = build(db, <T>(of: (values: V) => T) => new Placeholder(of) as T).compile();
			queries.set(adapter, query);
		}
		const parameters = query.parameters.map((parameter) =>
			parameter instanceof Placeholder ? (parameter as Placeholder<V>).of(values) : parameter,
		);
		return (await db.executeQuery<R>({ ...query, parameters })).rows;
	};
}
