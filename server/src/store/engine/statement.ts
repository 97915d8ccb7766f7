import {
	type CompiledQuery,
	type DialectAdapter,
	type Expression,
	type Kysely,
	type KyselyPlugin,
	OperationNodeTransformer,
	PostgresAdapter,
	type QueryExecutorProvider,
	type RawBuilder,
	sql,
	type SqlBool,
	type ValueNode,
} from 'kysely';
import type { Db } from '../schema.ts';

/** For the few places where the engines need different SQL. */
export function isPostgres<T>(db: Kysely<T>): boolean {
	return db.getExecutor().adapter instanceof PostgresAdapter;
}

/**
 * Whether a column has one of the values that a query selects. PostgreSQL gets them as an array, for which it uses the
 * column's index: `in` may become a join that reads the whole table, if the statistics are old or there are none.
 */
export function isSelected<T>(db: Kysely<T>, column: string, values: Expression<unknown>) {
	return isPostgres(db)
		? sql<SqlBool>`${sql.ref(column)} = any(array${values})`
		: sql<SqlBool>`${sql.ref(column)} in ${values}`;
}

/**
 * The state of deliveries in the outbox, written into the text of a query: SQLite uses an index of pending
 * deliveries only if it sees that the query asks for nothing else.
 */
export const PENDING = sql.lit<'pending'>('pending');

/** A placeholder in a compiled statement, for a value that each run supplies by its name. */
class Placeholder {
	readonly name: string;

	constructor(name: string) {
		this.name = name;
	}
}

/** Any property is a placeholder of its name: `build` reads `params.ids` without knowing the values. */
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
 * @param build builds it, with Kysely or as plain SQL; `params` has a placeholder for each value. A list becomes one
 *        JSON array; if it is empty, nothing can match, and the statement does not run.
 */
export function statement<V extends object, R>(
	build: (db: Db, params: V) => { compile(executor: QueryExecutorProvider): CompiledQuery<R> },
): (db: Db, values: V) => Promise<R[]> {
	const compiled = new WeakMap<DialectAdapter, CompiledQuery<R>>();
	return async (db, values) => {
		if (Object.values(values).some((list) => Array.isArray(list) && list.length === 0)) return [];
		const { adapter } = db.getExecutor();
		let query = compiled.get(adapter);
		if (!query) {
			const builder = db.withPlugin(constantsPlugin);
			query = build(builder, placeholders as V).compile(builder);
			query = { ...query, sql: STATEMENT + query.sql };
			compiled.set(adapter, query);
		}
		const parameters = query.parameters.map((parameter) => {
			if (!(parameter instanceof Placeholder)) return parameter;
			const value = values[parameter.name as keyof V];
			return Array.isArray(value) ? toJsonParameter(value) : value;
		});
		return (await db.executeQuery<R>({ ...query, parameters })).rows;
	};
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
	const json = Array.isArray(list) ? toJsonParameter(list) : list;
	return isPostgres(db)
		? sql`${sql.ref(column)} = any(array(
			select value::${sql.raw(type)} from jsonb_array_elements_text(${json}::jsonb) as value))`
		: sql`${sql.ref(column)} in (select value from json_each(${json}))`;
}

/** U+0000 and lone surrogates as escaped by JSON.stringify. */
const ESCAPED = /\\u(0000|d[89a-f])/;

/**
 * A text as both engines store and find it: U+0000 and halves of characters become U+FFFD. PostgreSQL's text cannot
 * hold them, and SQLite's functions stop at U+0000. Every parameter of a statement goes through here.
 */
function toStorable(value: string): string {
	return value.toWellFormed().replaceAll('\0', '\uFFFD');
}

/** Encodes rows or a list as one parameter, whose texts are storable. */
export function toJsonParameter(value: unknown): string {
	const json = JSON.stringify(value);
	if (!ESCAPED.test(json)) return json;
	return JSON.stringify(value, (_key, part: unknown) =>
		typeof part === 'string' ? toStorable(part) : part,
	);
}

/** The parameters of a statement, as both engines take them. */
export function toParameters(values: readonly unknown[]): unknown[] {
	return values.map((value) => {
		if (Array.isArray(value)) return toParameters(value);
		return typeof value === 'string' ? toStorable(value) : value;
	});
}
