import {
	type Insertable,
	type RawBuilder,
	type Selectable,
	type SelectType,
	sql,
	type Updateable,
} from 'kysely';
import type { Db, Tables } from '../schema.ts';
import { isPostgres, statement, toJsonParameter } from './statement.ts';

type Column<T extends keyof Tables> = keyof Tables[T] & string;

type Rows<T extends keyof Tables, C extends Column<T>> = ReadonlyArray<{
	[Name in C]: SelectType<Tables[T][Name]>;
}>;

interface InsertOptions<T extends keyof Tables> {
	/** Key columns of the existing row, and the column to which the new row's value is added. */
	addTo?: { key: ReadonlyArray<Column<T>>; column: Column<T> };
	/** Key columns of the existing row, whose other columns the new row replaces. */
	replace?: { key: ReadonlyArray<Column<T>> };
	returning?: 'id';
}

const refs = (columns: readonly string[]) => sql.join(columns.map((column) => sql.ref(column)));

/**
 * A statement fed by any number of rows: one JSON array is its only parameter. SQLite reads each row
 * from an array of its columns, in two thirds of the time it needs for an object, and as JSONB, in 0.6 of the
 * time it needs for text; PostgreSQL reads objects, and takes the types from the table.
 * @param columns the columns to read from the rows
 * @param build builds it; `rows` selects the rows
 */
export function rowsStatement<T extends keyof Tables, C extends Column<T>, R>(
	table: T,
	columns: readonly C[],
	build: (db: Db, rows: RawBuilder<unknown>) => RawBuilder<R>,
): (db: Db, rows: Rows<T, C>) => Promise<R[]> {
	const run = statement<{ rows: string }, R>((db, params) =>
		build(
			db,
			isPostgres(db)
				? sql`select ${refs(columns)} from json_populate_recordset(null::${sql.table(table)}, ${params.rows}::json)`
				: sql`select ${sql.join(columns.map((column, place) => sql`value->>${sql.lit(place)} as ${sql.ref(column)}`))} from jsonb_each(${params.rows})`,
		),
	);
	return async (db, rows) => {
		if (rows.length === 0) return [];
		const encoded = isPostgres(db) ? rows : rows.map((row) => columns.map((column) => row[column]));
		return run(db, { rows: toJsonParameter(encoded) });
	};
}

/** A statement that finds rows of a table by their keys. @param columns those that it returns */
export function selectStatement<
	T extends keyof Tables,
	K extends Column<T>,
	C extends Column<T> & keyof Selectable<Tables[T]>,
>(table: T, key: readonly K[], columns: readonly C[]) {
	const own = (column: string) => sql.ref(`${table}.${column}`);
	return rowsStatement(
		table,
		key,
		(_db, rows) => sql<Pick<Selectable<Tables[T]>, C>>`
			select ${sql.join(columns.map(own))}
			from (${rows}) as asked
			cross join ${sql.table(table)}
			where ${hasSameKey(key, own, 'asked')}`,
	);
}

/** Condition: a row of the table has the key of one of the rows that feed the statement. */
function hasSameKey(key: readonly string[], own: (column: string) => unknown, rows: string) {
	const pairs = key.map((column) => sql`${own(column)} = ${sql.ref(`${rows}.${column}`)}`);
	return sql.join(pairs, sql` and `);
}

/**
 * A statement that stores rows of a table.
 * @returns with `returning`, the assigned ids, in the order of the rows
 */
export function insertStatement<T extends keyof Tables>(
	table: T,
	columns: ReadonlyArray<Column<T>>,
	{ addTo, replace, returning }: InsertOptions<T> = {},
): (db: Db, rows: ReadonlyArray<Insertable<Tables[T]>>) => Promise<number[]> {
	const insert = rowsStatement(table, columns, (_db, rows) => {
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
			insert into ${sql.table(table)} (${refs(columns)}) ${rows}
			${conflict ?? sql``} ${returning ? sql`returning ${sql.ref(returning)}` : sql``}`;
	});
	return async (db, rows) => {
		// A column that a row omits is null.
		const returned = await insert(db, rows as unknown as Rows<T, Column<T>>);
		return returning ? idsInRowOrder(returned, rows.length) : [];
	};
}

/**
 * A statement that changes rows of a table. A column that a row omits, or has as null, keeps its value.
 */
export function updateStatement<T extends keyof Tables>(
	table: T,
	key: ReadonlyArray<Column<T>>,
	columns: ReadonlyArray<Column<T>>,
): (db: Db, rows: ReadonlyArray<Updateable<Tables[T]>>) => Promise<unknown> {
	const update = rowsStatement(table, [...key, ...columns], (_db, rows) => {
		const own = (column: string) => sql.ref(`${table}.${column}`);
		const changed = (column: string) => sql.ref(`changed.${column}`);
		return sql`
			update ${sql.table(table)}
			set ${sql.join(columns.map((column) => sql`${sql.ref(column)} = coalesce(${changed(column)}, ${own(column)})`))}
			from (${rows}) as changed
			where ${hasSameKey(key, own, 'changed')}`;
	});
	return (db, rows) => update(db, rows as unknown as Rows<T, Column<T>>);
}

/** A statement that deletes rows of a table, by their keys. */
export function deleteStatement<T extends keyof Tables, C extends Column<T>>(
	table: T,
	key: readonly C[],
): (db: Db, keys: Rows<T, C>) => Promise<unknown> {
	return rowsStatement(
		table,
		key,
		(_db, rows) => sql`delete from ${sql.table(table)} where (${refs(key)}) in (${rows})`,
	);
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
