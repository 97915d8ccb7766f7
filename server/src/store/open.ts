import type { StoreOptions } from './database.ts';
import type { PostgresLocation } from './engine/postgres/database.ts';
import { openSqlite } from './engine/sqlite/database.ts';

export interface StoreLocation extends PostgresLocation {
	/** Directory of the embedded store, which is used if there is no `url`. */
	directory: string;
}

/**
 * Opens the store; creates it, or migrates one of an older version, if the options allow it.
 * @throws StoreUnusableError when it cannot be used, is required but missing, already has a server, or has
 *         the schema of another version
 */
export async function openDatabase(location: StoreLocation, options: StoreOptions = {}) {
	if (location.url === '') return openSqlite(location.directory, options);
	// Not loaded for an embedded store, to save the memory of PostgreSQL's driver.
	const { openPostgres } = await import('./engine/postgres/database.ts');
	return openPostgres(location, options);
}
