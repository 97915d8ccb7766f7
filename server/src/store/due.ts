import { type RawBuilder, type Selectable, sql, type SqlBool } from 'kysely';
import { isPostgres, statement } from './engine/statement.ts';
import { rowsStatement } from './engine/json-rows.ts';
import type { Db, Tables } from './schema.ts';

/** Milliseconds since 1970 by the clock that all servers of a database share; undefined: there is one server. */
export async function sharedTime(db: Db): Promise<number | undefined> {
	if (!isPostgres(db)) return undefined;
	const { rows } = await sql<{ now: number }>`
		select (extract(epoch from clock_timestamp()) * 1000)::bigint as now`.execute(db);
	return rows[0]?.now;
}

/** A row that is due: its account and its owner, and the columns that identify it and its time. */
export interface Due {
	account_id: string;
	[column: string]: unknown;
}

/** Rows that become due: scheduled work. */
export interface DueRows<R = object> {
	/** The column by which an account's rows share its capacity, such as the API key. */
	owner: string;
	/** The rows due at a time, the longest overdue first. @param skip the number of them to leave out */
	find: (db: Db, params: { time: number; limit: number; skip: number }) => Promise<Due[]>;
	/** The found rows that are still unchanged, in the order of time. In a write of their account, only one of several servers gets each. */
	take: (db: Db, found: readonly Due[]) => Promise<R[]>;
}

interface Options<Column> {
	/** Identifies a row. */
	key: readonly Column[];
	/** The time of a row, by which an index finds it. */
	at: Column;
	/** Milliseconds from that time until the row is due. */
	after?: number;
	/** Whose row it is; absent: the account's. */
	owner?: Column;
	/** The rows that can become due: the condition of the index. */
	where?: RawBuilder<SqlBool>;
	/** True for rows that are deleted when they are taken. */
	isOnce?: boolean;
}

/** The rows of a table that become due. */
export function dueRows<T extends keyof Tables>(
	table: T,
	{ key, at, after = 0, where, isOnce = false, ...options }: Options<keyof Tables[T] & string>,
): DueRows<Selectable<Tables[T]>> {
	const { owner = 'account_id' } = options;
	const columns = [...key, at];
	const refs = (names: readonly string[]) => sql.join(names.map((name) => sql.ref(name)));
	const condition = where ? sql` and ${where}` : sql``;
	const find = statement<{ before: number; limit: number; skip: number }, Due>(
		(_db, params) => sql`
			select ${refs([...new Set(['account_id', owner, ...columns])])} from ${sql.table(table)}
			where ${sql.ref(at)} <= ${params.before}${condition}
			order by ${sql.ref(at)} limit ${params.limit} offset ${params.skip}`,
	);
	const take = rowsStatement(table, columns, (_db, rows) => {
		const found = sql`from ${sql.table(table)} where (${refs(columns)}) in (${rows})${condition}`;
		return isOnce
			? sql<Selectable<Tables[T]>>`delete ${found} returning *`
			: sql<Selectable<Tables[T]>>`select * ${found} order by ${sql.ref(at)}`;
	});
	return {
		owner,
		find: (db, { time, ...part }) => find(db, { before: time - after, ...part }),
		take: (db, found) => take(db, found as Parameters<typeof take>[1]),
	};
}
