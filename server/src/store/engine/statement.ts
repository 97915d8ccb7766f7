import {
	type Compilable,
	type CompiledQuery,
	type DialectAdapter,
	type KyselyPlugin,
	OperationNodeTransformer,
	sql,
	type SqlBool,
	type RawBuilder,
	type ValueNode,
} from 'kysely';
import type { Db } from '../schema.ts';
import { isPostgres } from './dialect.ts';

/** A value that each run supplies, by its name. */
class Placeholder {
	readonly name: string;

	constructor(name: string) {
		this.name = name;
	}
}

/** Placeholders of any name. */
const placeholders = new Proxy({}, { get: (_target, name) => new Placeholder(String(name)) });

/**
 * Writes values that are the same in each run into the statement's text. SQLite uses a partial index only if
 * it can see that its condition holds. With a parameter that could decide this, it replans the statement
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

/** Begins the text of each statement whose plan a store can keep. */
export const STATEMENT = '/* statement */ ';

/** Characters of a statement that identify it in the log. */
const NAMED_BY = 300;

/** Adds the statement to its error, for the log. Its text has no values: they are parameters. */
export function withStatement(error: unknown, text: string): unknown {
	const statement = text.replace(STATEMENT, '').replaceAll(/\s+/g, ' ').trim().slice(0, NAMED_BY);
	return typeof error === 'object' && error !== null ? Object.assign(error, { statement }) : error;
}

/**
 * A statement compiled once per kind of store: compiling takes several times as long as running it on
 * SQLite. For queries that every request runs. As in any query, `=` does not match null.
 * @param build builds it; `params` has a placeholder for each value. A list becomes one JSON array; with an empty
 *        one, of which nothing is among, the statement does not run.
 */
export function statement<V extends object, R>(
	build: (db: Db, params: V) => Pick<Compilable<R>, 'compile'>,
): (db: Db, values: V) => Promise<R[]> {
	const compiled = new WeakMap<DialectAdapter, CompiledQuery<R>>();
	return async (db, values) => {
		if (Object.values(values).some((list) => Array.isArray(list) && list.length === 0)) return [];
		const { adapter } = db.getExecutor();
		let query = compiled.get(adapter);
		if (!query) {
			query = build(db.withPlugin(constantsPlugin), placeholders as V).compile();
			query = { ...query, sql: STATEMENT + query.sql };
			compiled.set(adapter, query);
		}
		const parameters = query.parameters.map((parameter) => {
			if (!(parameter instanceof Placeholder)) return parameter;
			const value = values[parameter.name as keyof V];
			return Array.isArray(value) ? JSON.stringify(value) : value;
		});
		return (await db.executeQuery<R>({ ...query, parameters })).rows;
	};
}

/** A statement in plain SQL. */
export function sqlStatement<V extends object, R>(
	build: (db: Db, params: V) => RawBuilder<R>,
): (db: Db, values: V) => Promise<R[]> {
	return statement((db, params) => {
		const raw = build(db, params);
		return { compile: () => raw.compile(db) };
	});
}

/**
 * Condition: a column is one of the entries of a list. A statement can thus take lists of any length, with
 * the same text for all of them. PostgreSQL gets an array: given a table of entries, it does not know
 * how few they are, and scans the entire other table.
 */
export function isAmong(
	db: Db,
	column: string,
	list: readonly string[] | readonly number[],
	type: 'text' | 'bigint' = 'text',
): RawBuilder<SqlBool> {
	const json = Array.isArray(list) ? JSON.stringify(list) : list;
	return isPostgres(db)
		? sql`${sql.ref(column)} = any(array(
			select value::${sql.raw(type)} from jsonb_array_elements_text(${json}::jsonb) as value))`
		: sql`${sql.ref(column)} in (select value from json_each(${json}))`;
}
