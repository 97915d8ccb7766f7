import {
	type Compilable,
	type CompiledQuery,
	type DialectAdapter,
	type KyselyPlugin,
	OperationNodeTransformer,
	type ValueNode,
} from 'kysely';
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
 * Writes what is the same in each run into the query's text. SQLite takes a partial index only where
 * it sees that its condition holds, and so plans a query anew, each time that it is run, whose
 * parameter could decide it.
 */
class ConstantsAsText extends OperationNodeTransformer {
	protected override transformValue(node: ValueNode): ValueNode {
		return node.value instanceof Placeholder ? node : { ...node, immediate: true };
	}
}

const constantsAsText = new ConstantsAsText();
const constantsPlugin: KyselyPlugin = {
	transformQuery: ({ node, queryId }) => constantsAsText.transformNode(node, queryId),
	transformResult: ({ result }) => Promise.resolve(result),
};

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
			const the = <T>(of: (values: V) => T) => new Placeholder(of) as T;
			query = build(db.withPlugin(constantsPlugin), the).compile();
			queries.set(adapter, query);
		}
		const parameters = query.parameters.map((parameter) =>
			parameter instanceof Placeholder ? (parameter as Placeholder<V>).of(values) : parameter,
		);
		return (await db.executeQuery<R>({ ...query, parameters })).rows;
	};
}
