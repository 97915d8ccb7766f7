import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import SqliteDatabase from 'better-sqlite3';
import type { Migration } from 'kysely/migration';
import { statementsOf } from '../../src/store/engine/migrate.ts';
import { DATABASE_FILE } from '../../src/store/engine/sqlite/database.ts';
import { migrations } from '../../src/store/migrations/index.ts';
import { temporaryDirectory } from '../support/directory.ts';
import { putReleased, RELEASED } from '../support/released.ts';

/** Of the statements that the migration runs on the two engines, whatever their indentation. */
async function fingerprint(migration: Migration): Promise<string> {
	const hash = createHash('sha256');
	for (const engine of ['sqlite', 'postgres'] as const)
		for (const statement of await statementsOf(migration, engine))
			hash.update(`${statement.replaceAll(/\s+/g, ' ')};\n`);
	return hash.digest('hex').slice(0, 8);
}

it.each(RELEASED)('the migrations of version %s stay as they are', (version) => {
	const directory = temporaryDirectory();
	putReleased(version, directory.path);
	const database = new SqliteDatabase(join(directory.path, DATABASE_FILE));
	const names = database
		.prepare<[], string>('select name from kysely_migration order by name')
		.pluck()
		.all();
	database.close();
	directory.remove();
	expect(names.length).toBeGreaterThan(0);
	expect(Object.keys(migrations).slice(0, names.length)).toEqual(names);
});

describe('the name of a migration', () => {
	it.each(Object.entries(migrations))('%s ends with its fingerprint', async (name, migration) => {
		const right = `${name.replace(/-[\da-f]{8}$/, '')}-${await fingerprint(migration)}`;
		const advice =
			'Its statements were edited. If it is released, undo that and add a migration; otherwise rename it in store/migrations/index.ts, which makes existing stores unusable';
		expect({ advice, name }).toEqual({ advice, name: right });
	});
});
