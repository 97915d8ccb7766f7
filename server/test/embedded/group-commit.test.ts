import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import SqliteDatabase from 'better-sqlite3';
import { Kysely, sql, SqliteDialect } from 'kysely';
import { GroupCommit } from '../../src/store/engine/group-commit.ts';
import type { Db } from '../../src/store/schema.ts';
import { committerOnSqlite, preparedOnce } from '../../src/store/engine/sqlite/transaction.ts';

describe('writes that share a commit', () => {
	let connection: SqliteDatabase.Database;
	let group: GroupCommit;
	let run: <T>(job: (db: Db) => Promise<T>) => Promise<T>;
	let statements: string[];
	beforeEach(() => {
		statements = [];
		connection = new SqliteDatabase(':memory:', {
			verbose: (statement) => statements.push(String(statement)),
		});
		connection.pragma('foreign_keys = ON');
		connection.exec(
			'create table parent (id text primary key); create table notes (text text not null, parent text references parent(id) deferrable initially deferred)',
		);
		statements.length = 0;
		const db: Db = new Kysely({
			dialect: new SqliteDialect({ database: preparedOnce(connection) }),
		});
		group = new GroupCommit({ run: committerOnSqlite(db) });
		run = (job) => group.run(job);
	});
	afterEach(() => {
		connection.close();
	});

	const insert =
		(text: string | null, parent: string | null = null) =>
		async (db: Db) => {
			await sql`insert into notes values (${text}, ${parent})`.execute(db);
			return text;
		};
	const stored = () => connection.prepare('select text from notes order by rowid').pluck().all();
	const commits = () => statements.filter((statement) => statement === 'commit').length;

	it('are committed together, in the order in which they came', async () => {
		const texts = Array.from({ length: 50 }, (_, index) => `${index}`);
		expect(await Promise.all(texts.map((text) => run(insert(text))))).toEqual(texts);
		expect(stored()).toEqual(texts);
		expect(commits()).toBe(1);
	});

	it('roll back only what fails, with all that it had done', async () => {
		const failing = async (db: Db) => {
			await insert('half')(db);
			throw new Error('changed my mind');
		};
		const results = await Promise.allSettled([
			run(insert('a')),
			run(failing),
			run(insert('b')),
			run(insert(null)),
			run(insert('c')),
		]);
		expect(results.map(({ status }) => status)).toEqual([
			'fulfilled',
			'rejected',
			'fulfilled',
			'rejected',
			'fulfilled',
		]);
		expect(results[1]).toMatchObject({ reason: { message: 'changed my mind' } });
		expect(results[3]).toMatchObject({ reason: { code: 'SQLITE_CONSTRAINT_NOTNULL' } });
		expect(stored()).toEqual(['a', 'b', 'c']);
	});

	it('are all rejected when the commit fails, and leave room for the next', async () => {
		// A deferred foreign key is checked only by the commit.
		const results = await Promise.allSettled([
			run(insert('a')),
			run(insert('b', 'nobody')),
			run(insert('c')),
		]);
		for (const result of results) {
			expect(result).toMatchObject({
				status: 'rejected',
				reason: { code: 'SQLITE_CONSTRAINT_FOREIGNKEY' },
			});
		}
		expect(stored()).toEqual([]);
		expect(connection.inTransaction).toBe(false);
		await run(insert('d'));
		expect(stored()).toEqual(['d']);
	});

	it('do not resolve before they are committed', async () => {
		const seen: boolean[] = [];
		await Promise.all(
			['a', 'b'].map(async (text) => {
				await run(insert(text));
				seen.push(connection.inTransaction);
			}),
		);
		expect(seen).toEqual([false, false]);
	});

	it('see what those before them in the group have written', async () => {
		const count = async (db: Db) =>
			(await sql<{ n: number }>`select count(*) as n from notes`.execute(db)).rows[0]?.n;
		expect(await Promise.all([run(insert('a')), run(count), run(insert('b')), run(count)])).toEqual(
			['a', 1, 'b', 2],
		);
	});

	it('are stored when others arrive meanwhile, and the group is idle when none is left', async () => {
		const done: string[] = [];
		const late: Array<Promise<unknown>> = [];
		const early = run(async (db) => {
			late.push(run(insert('late')).then(() => done.push('late')));
			return insert('early')(db);
		});
		await early;
		await group.idle();
		expect(stored()).toEqual(['early', 'late']);
		await Promise.all(late);
		expect(done).toEqual(['late']);
		await group.idle();
	});

	it('store nothing once SQLite has ended their transaction by itself', async () => {
		const results = await Promise.allSettled([
			run((db) => sql`insert or rollback into notes (text) values (null)`.execute(db)),
			run(insert('a')),
		]);
		expect(results.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
		expect(stored()).toEqual([]);
		await run(insert('b'));
		expect(stored()).toEqual(['b']);
	});

	it('are all rejected when no transaction can begin', async () => {
		connection.exec('begin');
		const results = await Promise.allSettled([run(insert('a')), run(insert('b'))]);
		expect(results.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
		if (connection.inTransaction) connection.exec('rollback');
		await run(insert('c'));
		expect(stored()).toEqual(['c']);
	});
});
