import { type Insertable, sql } from 'kysely';
import type { Db, Tables } from '../schema.ts';
import { compiledOnce, idsInRowOrder } from './compiled-once.ts';
import { isPostgres } from './dialect.ts';

/** U+0000 and lone surrogates as escaped by JSON.stringify; PostgreSQL reads neither. */
const UNREADABLE = /\\u(0000|d[89a-f])/;

/**
 * Encodes rows as the one parameter of a statement, whatever their number. U+0000 and lone surrogates
 * become U+FFFD: PostgreSQL's text cannot hold them, and SQLite's JSON functions alter them.
 */
function toRowsJson(rows: readonly unknown[]): string {
	const json = JSON.stringify(rows);
	return UNREADABLE.test(json) ? JSON.stringify(rows, readable) : json;
}

function readable(_key: string, value: unknown): unknown {
	return typeof value === 'string' ? value.toWellFormed().replaceAll('\0', '\uFFFD') : value;
}

type Column<T extends keyof Tables> = keyof Tables[T] & string;

interface InsertOptions<T extends keyof Tables> {
	/** Key columns of the existing row, and the column to which the new row's value is added. */
	addTo?: { key: ReadonlyArray<Column<T>>; column: Column<T> };
	returning?: 'id';
}

/**
 * A statement that stores rows of a table, fed by one JSON array: `json_each` on SQLite,
 * `json_populate_recordset` on PostgreSQL, which takes the columns' types from the table.
 * @returns with `returning`, the assigned ids, in the order of the rows
 */
export function insertStatement<T extends keyof Tables>(
	table: T,
	columns: ReadonlyArray<Column<T>>,
	{ addTo, returning }: InsertOptions<T> = {},
): (db: Db, rows: ReadonlyArray<Insertable<Tables[T]>>) => Promise<number[]> {
	const insert = compiledOnce<string, { id: number }>((db, the) => {
		const json = sql`${the((rows) => rows)}`;
		const list = sql.join(columns.map((column) => sql.ref(column)));
		const source = isPostgres(db)
			? sql`select ${list} from json_populate_recordset(null::${sql.table(table)}, ${json}::json)`
			: sql`select ${sql.join(columns.map((column) => sql`value->>${sql.lit(column)}`))} from json_each(${json})`;
		// Without a `where`, SQLite reads `on conflict` as the `on` of a join.
		const conflict =
			addTo &&
			sql`where true on conflict (${sql.join(addTo.key.map((column) => sql.ref(column)))}) do update set
				${sql.ref(addTo.column)} = ${sql.ref(`${table}.${addTo.column}`)} + ${sql.ref(`excluded.${addTo.column}`)}`;
		const statement = sql<{ id: number }>`
			insert into ${sql.table(table)} (${list}) ${source}
			${conflict ?? sql``} ${returning ? sql`returning ${sql.ref(returning)}` : sql``}`;
		return { compile: () => statement.compile(db) };
	});
	return async (db, rows) => {
		if (rows.length === 0) return [];
		const returned = await insert(db, toRowsJson(rows));
		return returning ? idsInRowOrder(returned, rows.length) : [];
	};
}

/**
 * A query whose parameters are one JSON array.
 * @param build builds the query from the array
 */
export function selectStatement<Q, R>(
	build: (db: Db, json: ReturnType<typeof sql>) => ReturnType<typeof sql<R>>,
): (db: Db, asked: readonly Q[]) => Promise<R[]> {
	const select = compiledOnce<string, R>((db, the) => {
		const statement = build(db, sql`${the((json) => json)}`);
		return { compile: () => statement.compile(db) };
	});
	return (db, asked) => (asked.length === 0 ? Promise.resolve([]) : select(db, toRowsJson(asked)));
}
