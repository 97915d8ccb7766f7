import type { Compilable } from 'kysely';
import { compiledForRows, type Values } from './compiled-once.ts';
import type { Db } from '../schema.ts';
import { together } from './together.ts';

/**
 * Stores a row, in one statement with the rows of concurrent jobs.
 * @param build builds the statement from a placeholder for each row
 */
export function storedTogether<V>(
	build: (db: Db, rows: ReadonlyArray<Values<V>>) => Compilable,
): (db: Db, row: V) => Promise<void> {
	const store = compiledForRows(build);
	return together(async (db, rows) => {
		await store(db, rows);
		return [];
	});
}
