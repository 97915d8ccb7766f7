import {
	type Expression,
	type Insertable,
	type Kysely,
	type Selectable,
	type SelectType,
	sql,
	type SqlBool,
} from 'kysely';
import type { Db, Tables } from '../schema.ts';

/**
 * Queries that differ only in the table and its key columns. In each, the values come in the order of the
 * columns; as in any query, `=` does not match null.
 */

type Column<T extends keyof Tables> = keyof Tables[T] & string;
type Values<T extends keyof Tables, Key extends readonly [Column<T>, ...Array<Column<T>>]> = {
	[Place in keyof Key]: SelectType<Tables[T][Key[Place]]>;
};

/** Kysely cannot check a query of any table: those who call the functions below are checked instead. */
const untyped = (db: Db) => db as unknown as Kysely<Record<string, Record<string, unknown>>>;

const hasKey = (key: readonly string[], values: readonly unknown[]) =>
	sql<SqlBool>`${sql.join(
		key.map((column, place) => sql`${sql.ref(column)} = ${values[place]}`),
		sql` and `,
	)}`;

const rowsWith = (db: Db, table: string, key: readonly string[], values: readonly unknown[]) =>
	untyped(db).selectFrom(table).selectAll().where(hasKey(key, values));

/** Finds the row with values in its key columns. */
export function findBy<
	T extends keyof Tables,
	Key extends readonly [Column<T>, ...Array<Column<T>>],
>(
	table: T,
	...key: Key
): (db: Db, ...values: Values<T, Key>) => Promise<Selectable<Tables[T]> | undefined> {
	return async (db, ...values) => {
		const row: unknown = await rowsWith(db, table, key, values).executeTakeFirst();
		return row as Selectable<Tables[T]> | undefined;
	};
}

/** Lists the rows with a value in one column, in the order of another. */
export function listBy<T extends keyof Tables, Key extends Column<T>>(
	table: T,
	key: Key,
	order: Column<T>,
): (db: Db, value: SelectType<Tables[T][Key]>) => Promise<Array<Selectable<Tables[T]>>> {
	return async (db, value) => {
		const query = rowsWith(db, table, [key], [value]).orderBy(sql.ref(order));
		const rows: unknown = await query.execute();
		return rows as Array<Selectable<Tables[T]>>;
	};
}

/** Inserts a row. */
export function insertInto<T extends keyof Tables>(
	table: T,
): (db: Db, row: Insertable<Tables[T]>) => Promise<void> {
	return async (db, row) => {
		await untyped(db).insertInto(table).values(row).execute();
	};
}

/** Inserts a row unless there is one with its key. */
export function insertMissing<T extends keyof Tables>(
	table: T,
): (db: Db, row: Insertable<Tables[T]>) => Promise<void> {
	return async (db, row) => {
		const insert = untyped(db).insertInto(table).values(row);
		await insert.onConflict((conflict) => conflict.doNothing()).execute();
	};
}

/** Changes the row with a value in a column; what is undefined is kept. */
export function updateBy<T extends keyof Tables, Key extends Column<T>>(
	table: T,
	key: Key,
): (
	db: Db,
	value: SelectType<Tables[T][Key]>,
	change: Partial<Selectable<Tables[T]>>,
) => Promise<void> {
	return async (db, value, change) => {
		const update = untyped(db).updateTable<string>(table).set(change);
		await update.where(hasKey([key], [value])).execute();
	};
}

/** Deletes rows. @returns whether there were any */
export function deleteBy<
	T extends keyof Tables,
	Key extends readonly [Column<T>, ...Array<Column<T>>],
>(table: T, ...key: Key): (db: Db, ...values: Values<T, Key>) => Promise<boolean> {
	return async (db, ...values) => {
		const result = await sql`delete from ${sql.table(table)} where ${hasKey(key, values)}`.execute(
			db,
		);
		return (result.numAffectedRows ?? 0n) > 0n;
	};
}

/**
 * Deletes the rows whose key is among those selected, to delete many rows a few at a time.
 * @returns the number of rows
 */
export async function deleteSelected<T extends keyof Tables>(
	db: Db,
	table: T,
	key: Column<T>,
	selected: Expression<unknown>,
): Promise<number> {
	const { numAffectedRows } = await sql`
		delete from ${sql.table(table)} where ${sql.ref(key)} in ${selected}`.execute(db);
	return Number(numAffectedRows);
}
