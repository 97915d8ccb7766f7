import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import {
	type DatabaseConnection,
	type Dialect,
	DummyDriver,
	Kysely,
	PostgresDialect,
} from 'kysely';
import { SqliteWithStablePlans } from '../src/store/engine/sqlite/stable-plans.ts';
import { STATEMENT } from '../src/store/engine/statement.ts';
import { type Tables, TABLES } from '../src/store/schema.ts';
import type { Column, Table } from '../src/store/tables/columns.ts';
import { HOT } from '../test/support/hot-statements.ts';

const STORE = join(import.meta.dirname, '../src/store');
const ENGINES = ['sqlite', 'postgres'] as const;
type Engine = (typeof ENGINES)[number];

export const MIGRATIONS = join(STORE, 'migrations');

const FIRST = '0001-first';

/** The migration that creates a table, if it is not the first. */
const CREATED_BY: Partial<Record<string, string>> = { idempotency_keys: '0002-idempotency-keys' };

/** The folder of the statements that run often, for review and for tests of their plans. */
export const STATEMENTS = join(STORE, 'sql');

function toSql(name: string, { type, rules }: Column<unknown>, engine: Engine): string {
	return `${name} ${typeof type === 'string' ? type : type[engine]}${rules}`;
}

function tablesSql(engine: Engine, tables: ReadonlyArray<[string, Table]>): string {
	const statements = tables.flatMap(([name, { columns, rules }]) => {
		const lines = [
			...Object.entries(columns).map(([column, definition]) => toSql(column, definition, engine)),
			...rules.filter((rule) => rule.startsWith('constraint ')),
		];
		const indexes = rules.filter((rule) => rule.startsWith('index '));
		return [
			`create table ${name} (\n\t${lines.join(',\n\t')}\n)`,
			...indexes.map((index) => `create ${index}`),
		];
	});
	return `-- Written by \`npm run sql -w server\` from src/store/tables/.\n${statements.join(';\n\n')};\n`;
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
	// Of each open parenthesis: the indentation of its line if it begins a subquery.
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

async function statementsSql(engine: Engine, subject: string): Promise<string> {
	const statements: string[] = [];
	for (const [name, call] of Object.entries(HOT[subject] ?? {})) {
		const sent: string[] = [];
		await call(recorder(engine, (sql) => sent.push(inLines(sql))));
		statements.push(...sent.map((sql) => `-- ${name}\n${sql};\n`));
	}
	return statements.join('\n');
}

/** Every file written here, with its path. A subject that an engine has no statements of has no file. */
export async function sqlFiles(): Promise<Record<string, string>> {
	const files: Record<string, string> = {};
	const tables = Object.entries<Table>(TABLES);
	const byMigration = Map.groupBy(tables, ([name]) => CREATED_BY[name] ?? FIRST);
	for (const engine of ENGINES) {
		for (const [migration, created] of byMigration)
			files[join(MIGRATIONS, `${migration}.${engine}.sql`)] = tablesSql(engine, created);
		for (const subject of Object.keys(HOT)) {
			const sql = await statementsSql(engine, subject);
			if (sql !== '') files[join(STATEMENTS, `${subject}.${engine}.sql`)] = sql;
		}
	}
	return files;
}

if (import.meta.main) {
	rmSync(STATEMENTS, { recursive: true, force: true });
	for (const [file, sql] of Object.entries(await sqlFiles())) {
		mkdirSync(dirname(file), { recursive: true });
		writeFileSync(file, sql);
	}
}
