import {
	type Compilable,
	type CompiledQuery,
	type DialectAdapter,
	type KyselyPlugin,
	OperationNodeTransformer,
	type ValueNode,
} from 'kysely';
import type { Db } from '../schema.ts';

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

/** The texts of the queries that were made once, of which a store may keep the plans. */
export const compiledTexts = new Set<string>();

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
			compiledTexts.add(query.sql);
		}
		const parameters = query.parameters.map((parameter) =>
			parameter instanceof Placeholder ? (parameter as Placeholder<V>).of(values) : parameter,
		);
		return (await db.executeQuery<R>({ ...query, parameters })).rows;
	};
}

/** Rows of one statement at most: some 600 of its parameters, of which SQLite takes 32,766. */
const MOST_ROWS = 64;

/**
 * The same for a statement of many rows. Rows come in powers of two, so that there are few texts.
 * @param build makes the query, of a placeholder for each row
 * @returns what the statements gave back, in the order of the rows where they have one
 */
export function compiledForRows<V, R>(
	build: (db: Db, rows: ReadonlyArray<Values<V>>) => Compilable<R>,
): (db: Db, rows: readonly V[]) => Promise<R[]> {
	const statements = new Map<number, ReturnType<typeof compiledOnce<readonly V[], R>>>();
	const statementOf = (size: number) => {
		const statement =
			statements.get(size) ??
			compiledOnce<readonly V[], R>((db, the) =>
				build(
					db,
					Array.from(
						{ length: size },
						(_, row): Values<V> =>
							(of) =>
								the((rows) => of(rows[row] as V)),
					),
				),
			);
		statements.set(size, statement);
		return statement;
	};
	return async (db, rows) => {
		const results: R[] = [];
		let at = 0;
		while (at < rows.length) {
			const size = Math.min(MOST_ROWS, 2 ** Math.floor(Math.log2(rows.length - at)));
			results.push(...(await statementOf(size)(db, rows.slice(at, at + size))));
			at += size;
		}
		return results;
	};
}

/**
 * The ids that the store gave to rows, in the order of the rows: it numbers them one after another,
 * but does not promise to give them back in this order.
 */
export function grownIds(returned: ReadonlyArray<{ id: number }>, rows: number): number[] {
	if (returned.length !== rows)
		throw new Error(`The store gave ${returned.length} ids to ${rows} rows`);
	return returned.map(({ id }) => id).toSorted((a, b) => a - b);
}
