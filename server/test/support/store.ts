import { createHash } from 'node:crypto';
import { provideDatabase, returnDatabase } from './spare-databases.ts';

/** The database to copy others from; set in a run on PostgreSQL. */
const TEMPLATE_URL = process.env.TEST_DATABASE_URL;

/** PostgreSQL's copy strategy; empty: its default. */
const COPY_CLAUSE = process.env.TEST_DATABASE_COPY ?? '';

/** True if this run is on PostgreSQL. */
export const isOnPostgres = TEMPLATE_URL !== undefined;

function nameOf(directory: string): string {
	return `test_${createHash('sha256').update(directory).digest('hex').slice(0, 24)}`;
}

/**
 * The settings of a server with its data in `directory`: its embedded store or, in a run on PostgreSQL, a
 * separate database, made on first request.
 */
export async function storeSettings(directory: string): Promise<Record<string, string>> {
	if (TEMPLATE_URL === undefined) return { BECKON_DATA: directory };
	const name = nameOf(directory);
	await provideDatabase(TEMPLATE_URL, name, COPY_CLAUSE);
	const url = new URL(TEMPLATE_URL);
	url.pathname = `/${name}`;
	return { BECKON_DATA: directory, BECKON_DATABASE_URL: url.href };
}

/** Gives back the database of `directory` in a run on PostgreSQL. */
export async function removeStore(directory: string): Promise<void> {
	if (TEMPLATE_URL !== undefined) await returnDatabase(TEMPLATE_URL, nameOf(directory));
}
