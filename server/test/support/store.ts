import { createHash } from 'node:crypto';
import pg from 'pg';

/** The database to copy others from; set in a run on PostgreSQL. */
const TEMPLATE_URL = process.env.TEST_DATABASE_URL;

/** PostgreSQL's copy strategy; empty: its default. */
const COPY_CLAUSE = process.env.TEST_DATABASE_COPY ?? '';

/** True if this run is on PostgreSQL. */
export const isOnPostgres = TEMPLATE_URL !== undefined;

function nameOf(directory: string): string {
	return `test_${createHash('sha256').update(directory).digest('hex').slice(0, 24)}`;
}

/** Runs one statement on the cluster, outside its databases. */
async function administrate(template: string, statement: string): Promise<void> {
	const url = new URL(template);
	url.pathname = '/postgres';
	const client = new pg.Client({ connectionString: url.href });
	await client.connect();
	try {
		await client.query(statement);
	} finally {
		await client.end();
	}
}

/**
 * The settings of a server with its data in `directory`: its embedded store or, in a run on PostgreSQL, a
 * separate database, made on first request.
 */
export async function storeSettings(directory: string): Promise<Record<string, string>> {
	if (TEMPLATE_URL === undefined) return { BECKON_DATA: directory };
	const url = new URL(TEMPLATE_URL);
	const template = url.pathname.slice(1);
	const name = nameOf(directory);
	await administrate(
		TEMPLATE_URL,
		`create database ${name} template ${template} ${COPY_CLAUSE}`,
	).catch((error: unknown) => {
		const isThere = error instanceof pg.DatabaseError && error.code === '42P04';
		if (!isThere) throw error;
	});
	url.pathname = `/${name}`;
	return { BECKON_DATA: directory, BECKON_DATABASE_URL: url.href };
}

/** Removes the database of `directory` in a run on PostgreSQL. */
export async function removeStore(directory: string): Promise<void> {
	if (TEMPLATE_URL === undefined) return;
	await administrate(TEMPLATE_URL, `drop database if exists ${nameOf(directory)} with (force)`);
}
