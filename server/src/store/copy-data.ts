import { sql } from 'kysely';
import type { Database } from './database.ts';
import { isPostgres } from './engine/statement.ts';
import { StoreUnusableError } from './errors.ts';
import { type Db, type Tables, TABLES } from './schema.ts';
import { countRows } from './list-pages.ts';

type Table = keyof Tables;

/**
 * Without the row that the readiness check changes. Rate-limit windows, which only PostgreSQL stores, expire
 * before anyone could use them.
 */
export const COPIED_TABLES = (Object.keys(TABLES) as Table[]).filter(
	(table) => table !== 'readiness',
);

/** PostgreSQL accepts 65,535 parameters in a statement; no table has 30 columns. */
const ROWS_AT_ONCE = 2_000;

/** A picture has up to two megabytes. */
const IMAGES_AT_ONCE = 10;

/**
 * Copies all data from an embedded store to an empty one on PostgreSQL, and verifies the row counts. The
 * source cannot change meanwhile, and the target gets all or nothing.
 * @returns the number of rows of each table
 * @throws StoreUnusableError when the target already has data, or the counts differ
 */
export function copyData(
	source: Database,
	target: Database,
	onTable: (table: string, rows: number) => void = () => undefined,
): Promise<Record<Table, number>> {
	return source.write(null, (from) =>
		target.write(null, async (to) => {
			await requireEmpty(to);
			const copied: Partial<Record<Table, number>> = {};
			for (const table of COPIED_TABLES) {
				await copyTable(from, to, table);
				await continueIds(from, to, table);
				const expected = await countRows(from.selectFrom(table));
				const arrived = await countRows(to.selectFrom(table));
				if (expected !== arrived)
					throw new StoreUnusableError(
						`${arrived} of ${expected} rows of ${table} arrived. Nothing was changed; please report this.`,
					);
				copied[table] = arrived;
				onTable(table, arrived);
			}
			return copied as Record<Table, number>;
		}),
	);
}

async function requireEmpty(db: Db): Promise<void> {
	for (const table of COPIED_TABLES) {
		if ((await countRows(db.selectFrom(table))) > 0)
			throw new StoreUnusableError(
				`The PostgreSQL database already has data (in ${table}). Use an empty one: data is never merged.`,
			);
	}
}

async function copyTable(from: Db, to: Db, table: Table): Promise<void> {
	const atOnce = table === 'images' ? IMAGES_AT_ONCE : ROWS_AT_ONCE;
	for (let last = 0; ;) {
		const batch = sql<{ _row: number } & Record<string, unknown>>`
			select rowid as _row, * from ${sql.table(table)} where rowid > ${last} order by rowid limit ${atOnce}`;
		const { rows } = await batch.execute(from);
		const newest = rows.at(-1);
		if (!newest) return;
		last = newest._row;
		await sql`insert into ${sql.table(table)} ${toValues(rows)}`.execute(to);
	}
}

function toValues(rows: ReadonlyArray<Record<string, unknown>>) {
	const columns = Object.keys(rows[0] ?? {}).filter((column) => column !== '_row');
	const list = rows.map((row) => sql`(${sql.join(columns.map((column) => row[column]))})`);
	return sql`(${sql.join(columns.map((column) => sql.ref(column)))}) values ${sql.join(list)}`;
}

/** Continues after the highest id ever assigned, whose row may have been deleted since; most tables assign none. */
async function continueIds(from: Db, to: Db, table: Table): Promise<void> {
	const sequence = sql<{ seq: number }>`select seq from sqlite_sequence where name = ${table}`;
	const last = (await sequence.execute(from)).rows[0]?.seq;
	if (last === undefined || !isPostgres(to)) return;
	await sql`select setval(pg_get_serial_sequence(${table}, 'id'), ${last})`.execute(to);
}
