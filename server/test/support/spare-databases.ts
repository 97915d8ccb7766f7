import pg from 'pg';

/**
 * Databases of ended tests, emptied for later ones. To empty one takes a tenth of the time of a copy, for
 * which PostgreSQL writes some 300 files.
 */

/** PostgreSQL's codes. */
const DUPLICATE_DATABASE = '42P04';
const UNKNOWN_DATABASE = '3D000';

const EMPTY = `
	set session_replication_role = replica;
	do $$
	declare name text;
	begin
		for name in select known.name from store_tables() as known (name) loop
			execute format('delete from %I', name);
		end loop;
		for name in select sequencename from pg_sequences where schemaname = 'public' loop
			perform setval(name::regclass, 1, false);
		end loop;
	end $$`;

/** Lets the template, and so every copy, remember its tables: one that lost a table cannot be emptied. */
const REMEMBER_TABLES = `
	do $$
	declare names text[] := array(
		select tablename from pg_tables where schemaname = 'public' and tablename not like 'kysely%'
	);
	begin
		execute format(
			'create function store_tables() returns setof text language sql as %L',
			format('select unnest(%L::text[])', names)
		);
	end $$`;

async function connected<T>(url: string, work: (client: pg.Client) => Promise<T>): Promise<T> {
	const client = new pg.Client({ connectionString: url });
	await client.connect();
	try {
		return await work(client);
	} finally {
		await client.end();
	}
}

/** The same server's database of another name. */
function named(url: string, database: string): string {
	const other = new URL(url);
	other.pathname = `/${database}`;
	return other.href;
}

function hasCode(error: unknown, code: string): boolean {
	return error instanceof pg.DatabaseError && error.code === code;
}

/** Prepares a cluster whose database at `template` is migrated. */
export async function prepareSpares(template: string): Promise<void> {
	await connected(template, (client) => client.query(REMEMBER_TABLES));
	await connected(named(template, 'postgres'), (client) =>
		client.query('create table spare_databases (name text primary key)'),
	);
}

/**
 * Provides a database of this name: as it is, from the spare ones, or as a copy of the template.
 * @param copyClause PostgreSQL's copy strategy; empty: its default
 */
export async function provideDatabase(
	template: string,
	name: string,
	copyClause: string,
): Promise<void> {
	await connected(named(template, 'postgres'), async (client) => {
		const there = await client.query('select from pg_database where datname = $1', [name]);
		if (there.rowCount === 1) return;
		const { rows } = await client.query<{ name: string }>(
			`delete from spare_databases where name =
				(select name from spare_databases limit 1 for update skip locked) returning name`,
		);
		const [spare] = rows;
		const make = spare
			? `alter database ${spare.name} rename to ${name}`
			: `create database ${name} template ${new URL(template).pathname.slice(1)} ${copyClause}`;
		await client.query(make).catch((error: unknown) => {
			if (!hasCode(error, DUPLICATE_DATABASE)) throw error;
		});
	});
}

/** Ends all connections to the database, and empties it for another test; drops it if that fails. */
export async function returnDatabase(template: string, name: string): Promise<void> {
	await connected(named(template, 'postgres'), async (client) => {
		const spare = `spare_${name}`;
		await endConnections(client, name);
		try {
			// Under its new name no server of the test reaches it.
			await client.query(`alter database ${name} rename to ${spare}`);
		} catch (error) {
			if (hasCode(error, UNKNOWN_DATABASE)) return;
			throw error;
		}
		try {
			await connected(named(template, spare), (inside) => inside.query(EMPTY));
			await client.query('insert into spare_databases values ($1)', [spare]);
		} catch {
			await client.query(`drop database if exists ${spare} with (force)`);
		}
	});
}

/** Ends all connections. PostgreSQL itself waits in steps of a tenth of a second for that. */
async function endConnections(client: pg.Client, name: string): Promise<void> {
	const end = 'select pg_terminate_backend(pid) from pg_stat_activity where datname = $1';
	while ((await client.query(end, [name])).rowCount !== 0);
}
