import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import SqliteDatabase from 'better-sqlite3';
import { Kysely, sql, SqliteDialect } from 'kysely';
import { compiledForRows, idsInRowOrder } from '../../src/store/engine/compiled-once.ts';
import { type Beside, GroupCommit } from '../../src/store/engine/group-commit.ts';
import type { Db } from '../../src/store/schema.ts';
import { preparedOnce } from '../../src/store/engine/sqlite/prepared-once.ts';
import { commitOnSqlite } from '../../src/store/engine/sqlite/transaction.ts';
import { selectedTogether } from '../../src/store/engine/selected-together.ts';
import { together } from '../../src/store/engine/together.ts';

const notesWith = selectedTogether<{ text: string }, { id: number; text: string }>((db, the) =>
	db
		.selectFrom('notes' as never)
		.select(['id', 'text'] as never)
		.where('text' as never, '=', the(({ text }) => text) as never),
);

const insertNotes = compiledForRows<string, { id: number }>((db, rows) =>
	db
		.insertInto('notes' as never)
		.values(rows.map((the) => ({ text: the((text) => text) })) as never)
		.returning('id' as never),
);

/** @returns the note's id */
const insertNote = together<string, number>(async (db, texts) =>
	idsInRowOrder(await insertNotes(db, texts), texts.length),
);

describe('writes that run side by side', () => {
	let connection: SqliteDatabase.Database;
	let group: GroupCommit;
	let statements: string[];
	beforeEach(() => {
		statements = [];
		connection = new SqliteDatabase(':memory:', {
			verbose: (statement) => statements.push(String(statement)),
		});
		connection.exec(
			"create table notes (id integer primary key autoincrement, text text not null check (text <> 'bad'))",
		);
		statements.length = 0;
		const db: Db = new Kysely({
			dialect: new SqliteDialect({ database: preparedOnce(connection) }),
		});
		group = new GroupCommit({ commit: (jobs) => commitOnSqlite(db, jobs) });
	});
	afterEach(() => {
		connection.close();
	});

	const write = <T>(
		run: (db: Db) => Promise<T>,
		beside: Beside | undefined = 'all',
		account = 'a',
	) => group.run({ run, accountId: account, beside });
	const alone = <T>(run: (db: Db) => Promise<T>) =>
		group.run({ run, accountId: 'a', beside: undefined });
	const stored = () => connection.prepare('select text from notes order by id').pluck().all();
	const inserts = () => statements.filter((statement) => statement.startsWith('insert')).length;

	it('should have one statement for what they do in the same step, and each its own answer', async () => {
		const texts = Array.from({ length: 64 }, (_, index) => `note ${index}`);
		const ids = await Promise.all(texts.map((text) => write((db) => insertNote(db, text))));
		expect(ids).toEqual(texts.map((_, index) => index + 1));
		expect(stored()).toEqual(texts);
		expect(inserts()).toBe(1);
	});

	it('should have a few statements for any number of rows', async () => {
		const texts = Array.from({ length: 100 }, (_, index) => `note ${index}`);
		await Promise.all(texts.map((text) => write((db) => insertNote(db, text))));
		expect(stored()).toEqual(texts);
		// 64 + 32 + 4
		expect(inserts()).toBe(3);
	});

	const twice = (text: string) => async (db: Db) => {
		await insertNote(db, `${text}1`);
		await insertNote(db, `${text}2`);
	};

	it('should wait for one another at each step', async () => {
		await Promise.all(['a', 'b', 'c'].map((text) => write(twice(text))));
		expect(stored()).toEqual(['a1', 'b1', 'c1', 'a2', 'b2', 'c2']);
		// 2 + 1 rows, twice
		expect(inserts()).toBe(4);
	});

	it('should be told each what it asked for, from one statement where the same is asked', async () => {
		const texts = Array.from({ length: 100 }, (_, index) => `note ${index}`);
		await Promise.all(texts.map((text) => write((db) => insertNote(db, text))));
		statements.length = 0;
		const asked = [...texts, 'nobody has', 'note 7', 'note 7'];
		const answers = await Promise.all(asked.map((text) => write((db) => notesWith(db, { text }))));
		expect(answers.map((rows) => rows.map(({ id }) => id))).toEqual([
			...texts.map((_, index) => [index + 1]),
			[],
			[8],
			[8],
		]);
		const selects = statements.filter((statement) => statement.startsWith('select'));
		// 101 queries: 64 + 32 + 4 + 1
		expect(selects).toHaveLength(4);
	});

	it('should leave alone those that may not', async () => {
		await Promise.all([alone(twice('a')), write(twice('b')), alone(twice('c')), write(twice('d'))]);
		expect(stored()).toEqual(['b1', 'd1', 'b2', 'd2', 'a1', 'a2', 'c1', 'c2']);
	});

	it('should take turns within an account where only other accounts may write meanwhile', async () => {
		await Promise.all([
			write(twice('a'), 'other accounts', 'one'),
			write(twice('b'), 'other accounts', 'one'),
			write(twice('c'), 'other accounts', 'two'),
		]);
		expect(stored()).toEqual(['a1', 'c1', 'a2', 'c2', 'b1', 'b2']);
	});

	it('should undo all of one that changes its mind, and nothing of the others', async () => {
		const results = await Promise.allSettled([
			write((db) => insertNote(db, 'a')),
			write(async (db) => {
				await insertNote(db, 'half');
				throw new Error('changed my mind');
			}),
			write((db) => insertNote(db, 'b')),
		]);
		expect(results).toMatchObject([
			{ status: 'fulfilled' },
			{ status: 'rejected', reason: { message: 'changed my mind' } },
			{ status: 'fulfilled' },
		]);
		expect(stored()).toEqual(['a', 'b']);
	});

	it('should find out which of them made their statement fail', async () => {
		const results = await Promise.allSettled(
			['a', 'bad', 'b'].map((text) => write((db) => insertNote(db, text))),
		);
		expect(results).toMatchObject([
			{ status: 'fulfilled' },
			{ status: 'rejected', reason: { code: 'SQLITE_CONSTRAINT_CHECK' } },
			{ status: 'fulfilled' },
		]);
		expect(stored()).toEqual(['a', 'b']);
	});

	it('should store nothing once SQLite has ended their transaction by itself', async () => {
		const results = await Promise.allSettled([
			write((db) => sql`insert or rollback into notes (text) values ('bad')`.execute(db)),
			write((db) => insertNote(db, 'a')),
			alone((db) => sql`insert into notes (text) values ('b')`.execute(db)),
		]);
		expect(results.map(({ status }) => status)).toEqual(['rejected', 'rejected', 'rejected']);
		expect(stored()).toEqual([]);
		await write((db) => insertNote(db, 'c'));
		expect(stored()).toEqual(['c']);
	});
});
