import { type Insertable, type RawBuilder, sql, type Updateable } from 'kysely';
import type { Db, Tables } from '../schema.ts';
import { isPostgres } from './dialect.ts';
import { sqlStatement } from './statement.ts';

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

/** The value of a statement fed by rows: their JSON array. */
interface Rows {
	rows: string;
}

type Column<T extends keyof Tables> = keyof Tables[T] & string;

interface InsertOptions<T extends keyof Tables> {
	/** Key columns of the existing row, and the column to which the new row's value is added. */
	addTo?: { key: ReadonlyArray<Column<T>>; column: Column<T> };
	/** Key columns of the existing row, whose other columns the new row replaces. */
	replace?: { key: ReadonlyArray<Column<T>> };
	returning?: 'id';
}

const refs = (columns: readonly string[]) => sql.join(columns.map((column) => sql.ref(column)));

/** A select of the objects of a JSON array, as rows of the table: PostgreSQL takes the types from it. */
export function rowsFromJson<T extends keyof Tables>(
	db: Db,
	table: T,
	columns: ReadonlyArray<Column<T>>,
	json: RawBuilder<unknown>,
): RawBuilder<unknown> {
	return isPostgres(db)
		? sql`select ${refs(columns)} from json_populate_recordset(null::${sql.table(table)}, ${json}::json)`
		: sql`select ${sql.join(columns.map((column) => sql`value->>${sql.lit(column)} as ${sql.ref(column)}`))} from json_each(${json})`;
}

/**
 * A statement that stores rows of a table, fed by one JSON array: `json_each` on SQLite,
 * `json_populate_recordset` on PostgreSQL, which takes the columns' types from the table.
 * @returns with `returning`, the assigned ids, in the order of the rows
 */
export function insertStatement<T extends keyof Tables>(
	table: T,
	columns: ReadonlyArray<Column<T>>,
	{ addTo, replace, returning }: InsertOptions<T> = {},
): (db: Db, rows: ReadonlyArray<Insertable<Tables[T]>>) => Promise<number[]> {
	const insert = sqlStatement<Rows, { id: number }>((db, the) => {
		const json = sql`${the.rows}`;
		const set = (column: string, value: RawBuilder<unknown>) => sql`${sql.ref(column)} = ${value}`;
		const excluded = (column: string) => sql.ref(`excluded.${column}`);
		const changes = addTo
			? [set(addTo.column, sql`${sql.ref(`${table}.${addTo.column}`)} + ${excluded(addTo.column)}`)]
			: columns
					.filter((column) => !replace?.key.includes(column))
					.map((column) => set(column, excluded(column)));
		const key = (addTo ?? replace)?.key;
		// Without a `where`, SQLite reads `on conflict` as the `on` of a join.
		const conflict =
			key && sql`where true on conflict (${refs(key)}) do update set ${sql.join(changes)}`;
		return sql<{ id: number }>`
			insert into ${sql.table(table)} (${refs(columns)}) ${rowsFromJson(db, table, columns, json)}
			${conflict ?? sql``} ${returning ? sql`returning ${sql.ref(returning)}` : sql``}`;
	});
	return async (db, rows) => {
		if (rows.length === 0) return [];
		const returned = await insert(db, { rows: toRowsJson(rows) });
		return returning ? idsInRowOrder(returned, rows.length) : [];
	};
}

/**
 * A statement that changes rows of a table, fed by one JSON array. A column that a row leaves out, or has
 * as null, keeps its value.
 */
export function updateStatement<T extends keyof Tables>(
	table: T,
	key: ReadonlyArray<Column<T>>,
	columns: ReadonlyArray<Column<T>>,
): (db: Db, rows: ReadonlyArray<Updateable<Tables[T]>>) => Promise<void> {
	const update = sqlStatement<Rows, unknown>((db, the) => {
		const json = sql`${the.rows}`;
		const own = (column: string) => sql.ref(`${table}.${column}`);
		const changed = (column: string) => sql.ref(`changed.${column}`);
		return sql`
			update ${sql.table(table)}
			set ${sql.join(columns.map((column) => sql`${sql.ref(column)} = coalesce(${changed(column)}, ${own(column)})`))}
			from (${rowsFromJson(db, table, [...key, ...columns], json)}) as changed
			where ${sql.join(
				key.map((column) => sql`${own(column)} = ${changed(column)}`),
				sql` and `,
			)}`;
	});
	return async (db, rows) => {
		if (rows.length > 0) await update(db, { rows: toRowsJson(rows) });
	};
}

/** A statement that deletes rows of a table, fed by one JSON array of their keys. */
export function deleteStatement<T extends keyof Tables>(
	table: T,
	key: ReadonlyArray<Column<T>>,
): (db: Db, keys: ReadonlyArray<Updateable<Tables[T]>>) => Promise<void> {
	const remove = sqlStatement<Rows, unknown>(
		(db, the) => sql`
			delete from ${sql.table(table)}
			where (${refs(key)}) in (${rowsFromJson(db, table, key, sql`${the.rows}`)})`,
	);
	return async (db, keys) => {
		if (keys.length > 0) await remove(db, { rows: toRowsJson(keys) });
	};
}

/**
 * A query whose parameters are one JSON array.
 * @param build builds the query from the array
 */
export function selectStatement<Q, R>(
	build: (db: Db, json: ReturnType<typeof sql>) => ReturnType<typeof sql<R>>,
): (db: Db, asked: readonly Q[]) => Promise<R[]> {
	const select = sqlStatement<Rows, R>((db, the) => build(db, sql`${the.rows}`));
	return (db, asked) =>
		asked.length === 0 ? Promise.resolve([]) : select(db, { rows: toRowsJson(asked) });
}

/**
 * The ids assigned to rows, in the order of the rows: the store numbers them in sequence, but does not
 * promise to return them in this order.
 */
function idsInRowOrder(returned: ReadonlyArray<{ id: number }>, rows: number): number[] {
	if (returned.length !== rows)
		throw new Error(`The store gave ${returned.length} ids to ${rows} rows`);
	return returned.map(({ id }) => id).toSorted((a, b) => a - b);
}
