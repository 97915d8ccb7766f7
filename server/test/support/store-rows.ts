import { COPIED_TABLES } from '../../src/store/copy-data.ts';
import type { Db } from '../../src/store/schema.ts';

/** Everything in a store, as text independent of row order. */
export async function allRows(db: Db): Promise<Record<string, string[]>> {
	const tables: Record<string, string[]> = {};
	for (const table of COPIED_TABLES) {
		const rows = await db.selectFrom(table).selectAll().execute();
		tables[table] = rows
			.map((row) => JSON.stringify(Object.entries(row).sort(([a], [b]) => (a < b ? -1 : 1))))
			.sort();
	}
	return tables;
}
