import type { Database, StoreListeners, StoreUse } from './database.ts';
import { openSqlite } from './engine/sqlite/database.ts';

export interface StoreLocation {
	/** Where the embedded store is. */
	directory: string;
	/** A PostgreSQL database instead of it; empty: the embedded store. */
	url: string;
}

/**
 * Opens the store, creating or migrating it.
 * @throws StoreUnusableError when it cannot be used, is not there and must be, has a server already,
 *         or was written by a newer version of the program
 */
export async function openDatabase(
	{ directory, url }: StoreLocation,
	listeners: StoreListeners = {},
	use: StoreUse = {},
): Promise<Database> {
	if (url === '') return openSqlite(directory, listeners, use);
	// A server with a file has no use for PostgreSQL's driver, and saves its memory.
	const { openPostgres } = await import('./engine/postgres/database.ts');
	return openPostgres(url, listeners, use);
}
