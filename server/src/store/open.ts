import type { Database, StoreOptions } from './database.ts';
import { openSqlite } from './engine/sqlite/database.ts';

export interface StoreLocation {
	/** Directory of the embedded store. */
	directory: string;
	/** A PostgreSQL database to use instead; empty: the embedded store. */
	url: string;
}

/**
 * Opens the store; creates it, or migrates that of an older version, if the options allow it.
 * @throws StoreUnusableError when it cannot be used, is required but missing, already has a server, or has
 *         the schema of another version
 */
export async function openDatabase(
	{ directory, url }: StoreLocation,
	options: StoreOptions = {},
): Promise<Database> {
	if (url === '') return openSqlite(directory, options);
	// Not loaded for an embedded store, to save the memory of PostgreSQL's driver.
	const { openPostgres } = await import('./engine/postgres/database.ts');
	return openPostgres(url, options);
}
