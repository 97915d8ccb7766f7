import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import SqliteDatabase from 'better-sqlite3';
import { Kysely, sql, SqliteDialect } from 'kysely';
import { runMigrations } from '../../src/store/engine/migrate.ts';
import { deleteHistory } from '../../src/store/history/retention.ts';
import type { Tables } from '../../src/store/schema.ts';

/** The check that every test has (support/no-scans/). */
describe('a statement that reads what grows', () => {
	let db: Kysely<Tables>;
	beforeEach(async () => {
		const database = new SqliteDatabase(':memory:');
		db = new Kysely<Tables>({ dialect: new SqliteDialect({ database }) });
		await runMigrations(db);
	});
	afterEach(() => db.destroy());

	/** So many that no other test has made the same statement. */
	const ids = (count: number) => Array.from({ length: count }, (_, n) => `his_${n}`);

	it('throws if it is the program’s', async () => {
		expect(await deleteHistory(db, ids(471))).toBe(true);
		await sql`drop index messages_by_history`.execute(db);
		await expect(deleteHistory(db, ids(472))).rejects.toThrow(/^SCAN messages reads what grows/);
	});

	it('is run if it is a test’s own', async () => {
		const { rows } = await sql`select id from history where title = ${'none'}`.execute(db);
		expect(rows).toEqual([]);
	});
});
