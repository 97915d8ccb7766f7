import { existsSync, globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import {
	type DatabaseConnection,
	type Dialect,
	DummyDriver,
	Kysely,
	PostgresDialect,
} from 'kysely';
import { SqliteWithStablePlans } from '../src/store/engine/sqlite/database.ts';
import { STATEMENT } from '../src/store/engine/statement.ts';
import { migrationFile } from '../src/store/migrations/index.ts';
import { type Tables, TABLES } from '../src/store/schema.ts';
import type { Column, Table } from '../src/store/tables/columns.ts';
import { HOT } from '../test/support/hot-statements.ts';

const STORE = join(import.meta.dirname, '../src/store');
const ENGINES = ['sqlite', 'postgres'] as const;
type Engine = (typeof ENGINES)[number];

export const MIGRATIONS = join(STORE, 'migrations');

const FIRST = '0001-first';

/** The migration that creates a table, or adds a column or an index (`table.name`), if it is not the first. */
const CREATED_BY: Partial<Record<string, string>> = {
	'request_counts.request_counts_by_hour': '0002-indexes',
	'members.members_by_user': '0002-indexes',
	'sessions.sessions_by_end': '0002-indexes',
	'join_links.join_links_by_account': '0002-indexes',
	'join_links.join_links_by_member': '0002-indexes',
	'join_links.join_links_by_maker': '0002-indexes',
	'join_links.join_links_by_end': '0002-indexes',
	'pair_codes.pair_codes_by_account': '0002-indexes',
	'pair_codes.pair_codes_by_user': '0002-indexes',
	'pair_codes.pair_codes_by_maker': '0002-indexes',
	'pair_codes.pair_codes_by_end': '0002-indexes',
	'audit_log.audit_log_by_time': '0002-indexes',
	'api_key_channels.api_key_channels_by_channel': '0002-indexes',
	'triggers.triggers_by_listening': '0002-indexes',
	'messages.expires_at': '0003-expiry',
	'messages.messages_expiring': '0003-expiry',
	'accounts.time_zone': '0004-time-zones',
};

/** Tables that a later migration has dropped, as the earlier ones left them. */
const DROPPED: Record<string, Table> = {};

/** In a migration's file, this script does not write what follows this line. */
export const BY_HAND = '-- Written by hand:\n';

/** The folder of the statements that run often, for review and for tests of their plans. */
export const STATEMENTS = join(STORE, 'sql');

function toSql(name: string, { type, rules }: Column<unknown>, engine: Engine): string {
	return `${name} ${typeof type === 'string' ? type : type[engine]}${rules}`;
}

/** The statements of a table, each with its migration. */
function tableStatements(
	engine: Engine,
	name: string,
	{ columns, rules }: Table,
): Array<{ migration: string; sql: string }> {
	const created = CREATED_BY[name] ?? FIRST;
	const parts = Object.entries(columns).map(([column, definition]) => ({
		addedBy: CREATED_BY[`${name}.${column}`],
		sql: toSql(column, definition, engine),
	}));
	const inTable = [
		...parts.flatMap(({ addedBy, sql }) => (addedBy === undefined ? [sql] : [])),
		...rules.filter((rule) => rule.startsWith('constraint ')),
	];
	const indexes = rules.filter((rule) => rule.startsWith('index '));
	return [
		{ migration: created, sql: `create table ${name} (\n\t${inTable.join(',\n\t')}\n)` },
		...parts.flatMap(({ addedBy, sql }) =>
			addedBy === undefined
				? []
				: [{ migration: addedBy, sql: `alter table ${name} add column ${sql}` }],
		),
		...indexes.map((index) => ({
			migration: CREATED_BY[`${name}.${index.split(' ')[1]}`] ?? created,
			sql: `create ${index}`,
		})),
	];
}

/** A row with a 1 in every column, so that a call sends the statements that depend on an answer. */
const ROW: unknown = new Proxy({}, { get: () => 1 });

/** Kysely for an engine, without a database. @param send receives the text of each statement */
function recorder(engine: Engine, send: (sql: string) => void): Kysely<Tables> {
	const connection: DatabaseConnection = {
		executeQuery: <R>({ sql }: { sql: string }) => {
			send(sql);
			return Promise.resolve({ rows: [ROW as R], numAffectedRows: 1n });
		},
		streamQuery: () => {
			throw new Error('No statement is streamed');
		},
	};
	const driver = new DummyDriver();
	driver.acquireConnection = () => Promise.resolve(connection);
	const dialect: Dialect =
		engine === 'sqlite'
			? new SqliteWithStablePlans({ database: () => Promise.reject(new Error('None')) })
			: new PostgresDialect({ pool: () => Promise.reject(new Error('None')) });
	dialect.createDriver = () => driver;
	return new Kysely<Tables>({ dialect });
}

const BREAKS =
	/\( ?(?=(select)\b)|\(| ?\)|(?<!delete|distinct) (?=(select|from|where|and|or|group by|order by|limit|set|values|on conflict|returning|union|(?:inner|left|cross) join|for update)\b)/g;

/** A line for each clause and condition, indented by its subqueries. */
function inLines(sql: string): string {
	// For each open parenthesis: the indentation of its line if it begins a subquery.
	const open: Array<number | undefined> = [];
	let indentation = 0;
	const line = (tabs: number) => `\n${'\t'.repeat((indentation = tabs))}`;
	return sql
		.replace(STATEMENT, '')
		.replaceAll(/\s+/g, ' ')
		.trim()
		.replaceAll(BREAKS, (found, query?: string, clause?: string) => {
			const outer = open.findLast((tabs) => tabs !== undefined) ?? -1;
			if (clause !== undefined) return line(outer + (/^(and|or)$/.test(clause) ? 2 : 1));
			if (found.endsWith(')')) {
				const tabs = open.pop();
				return tabs === undefined ? ')' : `${line(tabs)})`;
			}
			open.push(query === undefined ? undefined : indentation);
			return query === undefined ? '(' : `(${line(indentation + 1)}`;
		});
}

/** The first lines of SQLite's statements. */
const ABOUT_PARAMETERS =
	'-- +? is a parameter that does not make SQLite plan the statement anew: engine/sqlite/database.ts, SqliteWithStablePlans.\n';

async function statementsSql(engine: Engine, subject: string): Promise<string> {
	const statements: string[] = [];
	for (const [name, call] of Object.entries(HOT[subject] ?? {})) {
		const sent: string[] = [];
		await call(recorder(engine, (sql) => sent.push(inLines(sql))));
		statements.push(...sent.map((sql) => `-- ${name}\n${sql};\n`));
	}
	if (engine === 'sqlite' && statements.length > 0) statements.unshift(ABOUT_PARAMETERS);
	return statements.join('\n');
}

/** The text of each migration on an engine, with what was written by hand. */
function migrationsOf(engine: Engine): Map<string, string> {
	const created = Object.entries<Table>({ ...TABLES, ...DROPPED }).flatMap(([name, table]) =>
		tableStatements(engine, name, table),
	);
	const texts = [...Map.groupBy(created, (each) => each.migration)].map(([name, statements]) => {
		const file = migrationFile(name, engine);
		const [, ...byHand] = existsSync(file) ? readFileSync(file, 'utf8').split(BY_HAND) : [];
		const written = `-- Written by \`npm run sql -w server\` from src/store/tables/.\n${statements.map(({ sql }) => sql).join(';\n\n')};\n`;
		return [name, [written, ...byHand].join(`\n${BY_HAND}`)] as const;
	});
	return new Map(texts);
}

/** Every file written here, with its path. A subject without statements on an engine has no file there. */
export async function sqlFiles(): Promise<Record<string, string>> {
	const files: Record<string, string> = {};
	const [onSqlite, onPostgres] = [migrationsOf('sqlite'), migrationsOf('postgres')];
	for (const [name, sql] of onSqlite) {
		const other = onPostgres.get(name) ?? '';
		if (sql === other) files[join(MIGRATIONS, `${name}.sql`)] = sql;
		else {
			files[join(MIGRATIONS, `${name}.sqlite.sql`)] = sql;
			files[join(MIGRATIONS, `${name}.postgres.sql`)] = other;
		}
	}
	for (const engine of ENGINES) {
		for (const subject of Object.keys(HOT)) {
			const sql = await statementsSql(engine, subject);
			if (sql !== '') files[join(STATEMENTS, `${subject}.${engine}.sql`)] = sql;
		}
	}
	return files;
}

if (import.meta.main) {
	const files = await sqlFiles();
	rmSync(STATEMENTS, { recursive: true, force: true });
	for (const file of globSync(join(MIGRATIONS, '*.sql')))
		if (!readFileSync(file, 'utf8').startsWith(BY_HAND)) rmSync(file);
	for (const [file, sql] of Object.entries(files)) {
		mkdirSync(dirname(file), { recursive: true });
		writeFileSync(file, sql);
	}
}
