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
type KeyOf<T extends keyof Tables> = readonly [Column<T>, ...Array<Column<T>>];
type Values<T extends keyof Tables, Key extends KeyOf<T>> = {
	[Place in keyof Key]: SelectType<Tables[T][Key[Place]]>;
};

/** Kysely cannot type a query whose table is a parameter. The signatures of the functions below type it instead. */
const untyped = (db: Db) => db as unknown as Kysely<Record<string, Record<string, unknown>>>;

const hasKey = (key: readonly string[], values: readonly unknown[]) =>
	sql<SqlBool>`${sql.join(
		key.map((column, place) => sql`${sql.ref(column)} = ${values[place]}`),
		sql` and `,
	)}`;

/** Finds the row with values in its key columns. */
export function findBy<T extends keyof Tables, Key extends KeyOf<T>>(table: T, ...key: Key) {
	return async (db: Db, ...values: Values<T, Key>) => {
		const rows = untyped(db).selectFrom(table).selectAll().where(hasKey(key, values));
		const row: unknown = await rows.executeTakeFirst();
		return row as Selectable<Tables[T]> | undefined;
	};
}

/** Inserts a row. */
export function insertInto<T extends keyof Tables>(table: T) {
	return async (db: Db, row: Insertable<Tables[T]>) => {
		await untyped(db).insertInto(table).values(row).execute();
	};
}

/** Inserts a row unless there is one with its key. */
export function insertMissing<T extends keyof Tables>(table: T) {
	return async (db: Db, row: Insertable<Tables[T]>) => {
		const insert = untyped(db).insertInto(table).values(row);
		await insert.onConflict((conflict) => conflict.doNothing()).execute();
	};
}

/** Changes rows; undefined values in the change are kept. @returns whether there were any */
export function updateBy<T extends keyof Tables, Key extends KeyOf<T>>(table: T, ...key: Key) {
	type Change = Partial<Selectable<Tables[T]>>;
	return async (db: Db, ...args: [...values: Values<T, Key>, change: Change]) => {
		const update = untyped(db).updateTable<string>(table);
		// The change follows the values of the key, which TypeScript cannot infer from the index.
		const change = args[key.length] as Change;
		const { numUpdatedRows } = await update
			.set(change)
			.where(hasKey(key, args))
			.executeTakeFirstOrThrow();
		return numUpdatedRows > 0n;
	};
}

/** Deletes rows. @returns whether there were any */
export function deleteBy<T extends keyof Tables, Key extends KeyOf<T>>(table: T, ...key: Key) {
	return async (db: Db, ...values: Values<T, Key>) => {
		const remove = sql`delete from ${sql.table(table)} where ${hasKey(key, values)}`;
		const { numAffectedRows = 0n } = await remove.execute(db);
		return numAffectedRows > 0n;
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
