import { mkdirSync, readdirSync, renameSync, rmSync, statSync } from 'node:fs';
import { basename, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import SqliteDatabase from 'better-sqlite3';
import { DATABASE_FILE } from '../../src/store/engine/sqlite/database.ts';
import type { Migration } from '../../src/store/migrations/index.ts';
import { openDatabase } from '../../src/store/open.ts';
import { temporaryDirectory } from '../support/directory.ts';
import { holdLines } from '../support/mistakes.ts';
import {
	NEWER_PROGRAM,
	NEWEST,
	NEXT,
	NEXT_STATEMENTS,
	nextMigration,
	withMigration,
} from '../support/next-migration.ts';
import { runCli, runJson, seed, startProcess } from '../support/process.ts';
import { expectReadable, putReleased, RELEASED } from '../support/released.ts';

let directory: ReturnType<typeof temporaryDirectory>;
let data: string;
beforeEach(() => {
	directory = temporaryDirectory();
	data = join(directory.path, 'data');
	mkdirSync(data);
});
afterEach(() => directory.remove());

/** The schema and the number of rows of each table. */
function content(file = join(data, DATABASE_FILE)) {
	const database = new SqliteDatabase(file, { readonly: true });
	try {
		const tables = database
			.prepare<[], { name: string; sql: string }>(
				'select name, sql from sqlite_master order by name',
			)
			.all();
		const isTable = ({ sql }: { sql: string | null }) => sql?.startsWith('create table') ?? false;
		return tables.map((table) => ({
			...table,
			rows: isTable(table)
				? database.prepare(`select count(*) from "${table.name}"`).pluck().get()
				: undefined,
		}));
	} finally {
		database.close();
	}
}

const copies = () => readdirSync(data).filter((name) => /^beckon-.*\.db$/.test(name));

const migrateInProcess = async (migration: Migration) =>
	withMigration(migration, async () => {
		const database = await openDatabase({ directory: data, url: '' }, { olderStore: 'migrate' });
		await database.close();
		return database.migrated;
	});

describe.each(RELEASED)('the store of version %s', (version) => {
	beforeEach(() => putReleased(version, data));

	it('is migrated, and serves what it did', async () => {
		const before = content();
		await runJson(['migrate', '--data', data]);
		await expectReadable(version, { directory: data });
		for (const { name } of before) expect(content().map((entry) => entry.name)).toContain(name);
	});

	it('has the schema of a new store then', async () => {
		await runJson(['migrate', '--data', data]);
		const fresh = join(directory.path, 'fresh');
		await seed(fresh);
		/** SQLite keeps the text of each statement, with whatever space is in it. */
		const schemaOf = (file?: string) =>
			content(file).map(({ name, sql }) => [name, sql?.replaceAll(/\s/g, '')]);
		expect(schemaOf()).toEqual(schemaOf(join(fresh, DATABASE_FILE)));
	});

	it('is migrated by the statements that a dry run prints', async () => {
		const byHand = join(directory.path, 'by-hand');
		mkdirSync(byHand);
		putReleased(version, byHand);
		const dryRun = ['migrate', '--dry-run', '--data', data];
		const { migrated } = await runJson(dryRun, {}, NEWER_PROGRAM);
		expect(migrated.statements.length).toBeGreaterThan(0);
		const database = new SqliteDatabase(join(byHand, DATABASE_FILE));
		for (const statement of migrated.statements) database.exec(statement);
		database.close();
		await runJson(['migrate', '--data', data], {}, NEWER_PROGRAM);
		const schemaOf = (file?: string) => content(file).map(({ name, sql }) => [name, sql]);
		expect(schemaOf()).toEqual(schemaOf(join(byHand, DATABASE_FILE)));
	});

	it('can be migrated further, and be put back for the program that it was made for', async () => {
		await runJson(['migrate', '--data', data]);
		for (const name of copies()) rmSync(join(data, name));
		const before = content();
		const { migrated } = await runJson(['migrate', '--data', data], {}, NEWER_PROGRAM);
		expect(migrated).toEqual({ from: NEWEST, to: NEXT, copy: expect.any(String) });
		holdLines(
			await runCli(['account', 'list', '--data', data]),
			`The data was written by a newer version of Beckon (it has ${NEXT}). Start that version, or a newer one; nothing was changed.`,
		);
		for (const name of readdirSync(data).filter((name) => name.startsWith(DATABASE_FILE)))
			rmSync(join(data, name));
		renameSync(migrated.copy, join(data, DATABASE_FILE));
		expect(content()).toEqual(before);
		await expectReadable(version, { directory: data });
	});
});

describe('a store that lacks a migration', () => {
	beforeEach(() => seed(data));

	it('is refused by every command, which says what to do and changes nothing', async () => {
		const before = content();
		for (const command of [
			['account', 'list'],
			['account', 'create', '--name', 'x', '--owner', 'o@example.com'],
			['backup', '--to', join(directory.path, 'backup.db')],
		])
			holdLines(
				await runCli([...command, '--data', data], {}, NEWER_PROGRAM),
				`The data was written by an older version of Beckon (it lacks ${NEXT}): restart the server with this version, or stop it and run \`beckon-server migrate --data ${data}\` without BECKON_DATABASE_URL; nothing was changed.`,
			);
		expect(content()).toEqual(before);
		expect(readdirSync(directory.path)).toEqual(['data']);
	});

	it('is migrated by a start, which names the copy in its output and its log', async () => {
		const before = content();
		const server = await startProcess(data, { main: NEWER_PROGRAM });
		server.signal('SIGTERM');
		const { stdout, stderr } = await server.finished;
		const copy = join(data, copies()[0]!);
		expect(basename(copy)).toMatch(new RegExp(`^beckon-${NEWEST}-\\d{8}T\\d{6}Z\\.db$`));
		expect(JSON.parse(stdout)).toMatchObject({ migrated: { from: NEWEST, to: NEXT, copy } });
		const log = stderr.split('\n').filter((line) => line.includes('the data was migrated'));
		expect(log.map((line) => JSON.parse(line))).toMatchObject([{ from: NEWEST, to: NEXT, copy }]);
		expect(content(copy)).toEqual(before);
		expect((statSync(copy).mode & 0o777).toString(8)).toBe('600');
		expect(content()).not.toEqual(before);
	});

	it('is not migrated under a running server', async () => {
		const server = await startProcess(data);
		try {
			holdLines(
				await runCli(['migrate', '--data', data], {}, NEWER_PROGRAM),
				`A server is already running on the data directory ${data}. Stop it first, or name another folder with --data.`,
			);
		} finally {
			server.signal('SIGKILL');
			await server.finished;
		}
	});

	it('is migrated by the command, which says from what to what', async () => {
		const { code, stdout } = await runCli(['migrate', '--data', data], {}, NEWER_PROGRAM);
		expect(code).toBe(0);
		expect(stdout).toBe(
			`Migrated from ${NEWEST} to ${NEXT}; the previous data is in ${join(data, copies()[0]!)}\n`,
		);
		const again = await runJson(['migrate', '--data', data], {}, NEWER_PROGRAM);
		expect(again).toEqual({ data, migrated: null });
	});

	it('stays as it is in a dry run, also under a server, which prints the statements', async () => {
		const before = content();
		const server = await startProcess(data);
		try {
			const dryRun = ['migrate', '--dry-run', '--data', data];
			const { code, stdout } = await runCli(dryRun, {}, NEWER_PROGRAM);
			expect({ code, stdout }).toEqual({
				code: 0,
				stdout: `-- Would migrate ${data} from ${NEWEST} to ${NEXT}; nothing was changed.

alter table accounts add column motto text not null default 'none';

create table mottos (
  motto text primary key
);
`,
			});
			const { migrated } = await runJson(dryRun, {}, NEWER_PROGRAM);
			expect(migrated).toEqual({ from: NEWEST, to: NEXT, statements: NEXT_STATEMENTS });
		} finally {
			server.signal('SIGTERM');
			await server.finished;
		}
		expect(content().map(({ name, sql }) => [name, sql])).toEqual(
			before.map(({ name, sql }) => [name, sql]),
		);
		expect(copies()).toEqual([]);
	});

	it('stays as it is when its copy does not fit on the disk', async () => {
		const before = content();
		await expect(startProcess(data, { main: NEWER_PROGRAM, fileLimitKib: 64 })).rejects.toThrow(
			/The data is copied before it is migrated\. Cannot write .*\/beckon-.*\.db: .+\. The data was not changed\./,
		);
		expect(copies()).toEqual([]);
		expect(content()).toEqual(before);
		expect(await runJson(['account', 'list', '--data', data])).toHaveLength(1);
	});

	it('stays as it is when a statement of its migration fails, without a copy', async () => {
		const before = content();
		const failing: Migration = () => [...NEXT_STATEMENTS, 'insert into missing values (1)'];
		await expect(migrateInProcess(failing)).rejects.toThrow(
			/^Cannot prepare the database: no such table: missing; nothing was changed$/,
		);
		expect(content()).toEqual(before);
		expect(copies()).toEqual([]);
		expect(await migrateInProcess(nextMigration)).toMatchObject({ from: NEWEST, to: NEXT });
	});
});
