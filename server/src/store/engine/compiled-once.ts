import {
	type Compilable,
	type CompiledQuery,
	type DialectAdapter,
	type KyselyPlugin,
	OperationNodeTransformer,
	type ValueNode,
} from 'kysely';
import type { Db } from '../schema.ts';

/** Placeholder in a query for a value that each run supplies. */
class Placeholder<V> {
	readonly of: (values: V) => unknown;

	constructor(of: (values: V) => unknown) {
		this.of = of;
	}
}

/** Declares a value that each run supplies. */
export type Values<V> = <T>(of: (values: V) => T) => T;

/**
 * Writes values that are the same in each run into the query's text. SQLite uses a partial index only if
 * it can see that its condition holds. With a parameter that could decide this, it plans the query anew
 * for each run.
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

/** Texts of the queries compiled once; a store may cache their plans. */
export const compiledTexts = new Set<string>();

/**
 * Compiles a query once per kind of store: compiling takes several times as long as running it on SQLite.
 * For queries run by every request. As in any query, `=` does not match null.
 * @param build builds the query
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
			compiledTexts.add(query.sql);
		}
		const parameters = query.parameters.map((parameter) =>
			parameter instanceof Placeholder ? (parameter as Placeholder<V>).of(values) : parameter,
		);
		return (await db.executeQuery<R>({ ...query, parameters })).rows;
	};
}

/**
 * The ids assigned to rows, in the order of the rows: the store numbers them in sequence, but does not
 * promise to return them in this order.
 */
export function idsInRowOrder(returned: ReadonlyArray<{ id: number }>, rows: number): number[] {
	if (returned.length !== rows)
		throw new Error(`The store gave ${returned.length} ids to ${rows} rows`);
	return returned.map(({ id }) => id).toSorted((a, b) => a - b);
}
