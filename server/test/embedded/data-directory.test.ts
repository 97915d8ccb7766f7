import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from '@jest/globals';
import SqliteDatabase from 'better-sqlite3';
import { STEPS_OF_FIRST } from '../../src/store/migrations/index.ts';
import { temporaryDirectory } from '../support/directory.ts';
import { holdLines } from '../support/mistakes.ts';
import { runCli, runJson, runRefusedStart, seed } from '../support/process.ts';

describe('a mistake in the data directory', () => {
	const directory = temporaryDirectory();
	const folder = (name: string) => join(directory.path, name);
	const start = (data: string) => runRefusedStart(['--data', data, '--port', '0']);
	afterAll(() => directory.remove());

	it('is reported when it cannot be created, and creates nothing', async () => {
		writeFileSync(folder('file'), 'mine');
		const below = join(folder('file'), 'data');
		holdLines(await start(below), /^Cannot use the data directory .*file\/data: ENOTDIR/);
		holdLines(
			await runCli(['account', 'list', '--data', below]),
			/^There is no store in .*file\/data\. Check --data/,
		);
		holdLines(await start('/proc/beckon'), /^Cannot use the data directory \/proc\/beckon: ENOENT/);
	});

	it('is reported when it is a file', async () => {
		writeFileSync(folder('plain'), 'mine');
		holdLines(await start(folder('plain')), /^Cannot use the data directory .*plain: EEXIST/);
	});

	it('is reported when the database is something else, and leaves it as it is', async () => {
		mkdirSync(folder('other'));
		writeFileSync(join(folder('other'), 'beckon.db'), 'Not a database, but notes.'.repeat(100));
		holdLines(
			await start(folder('other')),
			/^Cannot use the data directory .*: file is not a database$/,
		);
		expect(readdirSync(folder('other'))).toEqual(['beckon.db']);
	});

	it('is reported when a newer program has written it, and leaves it as it is', async () => {
		const data = folder('newer');
		await runJson([
			'account',
			'create',
			'--name',
			'acme',
			'--owner',
			'o@example.com',
			'--data',
			data,
		]);
		const database = new SqliteDatabase(join(data, 'beckon.db'));
		const insert = 'insert into kysely_migration (name, timestamp) values (?, ?)';
		database.prepare(insert).run('0999-from-the-future', '2099-01-01T00:00:00.000Z');
		const content = () =>
			database
				.prepare('select name from kysely_migration union select sql from sqlite_master')
				.all();
		const before = content();
		const line =
			/^The data was written by a newer version of Beckon \(it has 0999-from-the-future\)\. .*nothing was changed\.$/;
		holdLines(await start(data), line);
		holdLines(
			await runCli([
				'account',
				'create',
				'--name',
				'x',
				'--owner',
				'o@example.com',
				'--data',
				data,
			]),
			line,
		);
		expect(content()).toEqual(before);
		expect(database.prepare('select name from accounts').all()).toEqual([{ name: 'acme' }]);
		database.close();
	});

	it.each([
		['an edited migration', ['0001-first']],
		['a version before the first release', STEPS_OF_FIRST.slice(0, -1)],
		['the migrations of another line', ['0001-first-tables', '0002-delivery']],
	])('is reported when the schema is that of %s, and leaves it as it is', async (_what, names) => {
		const data = folder(names.join());
		await seed(data);
		const database = new SqliteDatabase(join(data, 'beckon.db'));
		database.exec('delete from kysely_migration; alter table devices drop column quiet_json');
		const insert = 'insert into kysely_migration (name, timestamp) values (?, ?)';
		for (const name of names) database.prepare(insert).run(name, '2026-01-01T00:00:00.000Z');
		const content = () =>
			database
				.prepare('select name from kysely_migration union select sql from sqlite_master')
				.all();
		const before = content();
		const backup = ['backup', '--to', folder('backup.db'), '--data', data];
		for (const refused of [
			() => start(data),
			() => runCli(['account', 'list', '--data', data]),
			() => runCli(backup),
		])
			holdLines(
				await refused(),
				`The data has a schema that this version of Beckon does not know (it has ${names.join(', ')}): start the version that wrote it, or choose another data folder or database to start over; nothing was changed.`,
			);
		expect(content()).toEqual(before);
		database.close();
	});
});
