import { createHash } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import {
	DummyDriver,
	Kysely,
	PostgresAdapter,
	PostgresIntrospector,
	PostgresQueryCompiler,
	SqliteAdapter,
	SqliteIntrospector,
	SqliteQueryCompiler,
} from 'kysely';
import type { Migration } from 'kysely/migration';
import { migrations } from '../../src/store/migrations/index.ts';

const createDriver = () => new DummyDriver();
const ENGINES = [
	{
		createDriver,
		createAdapter: () => new SqliteAdapter(),
		createQueryCompiler: () => new SqliteQueryCompiler(),
		createIntrospector: (db: Kysely<any>) => new SqliteIntrospector(db),
	},
	{
		createDriver,
		createAdapter: () => new PostgresAdapter(),
		createQueryCompiler: () => new PostgresQueryCompiler(),
		createIntrospector: (db: Kysely<any>) => new PostgresIntrospector(db),
	},
];

/** Of the statements that the migration runs on the two engines, whatever their indentation. */
async function fingerprint({ up }: Migration): Promise<string> {
	const hash = createHash('sha256');
	for (const dialect of ENGINES) {
		await up(
			new Kysely<any>({
				dialect,
				log: ({ query }) => void hash.update(`${query.sql.replaceAll(/\s+/g, ' ')};\n`),
			}),
		);
	}
	return hash.digest('hex').slice(0, 8);
}

describe('the name of a migration', () => {
	it.each(Object.entries(migrations))('%s ends with its fingerprint', async (name, migration) => {
		const right = `${name.replace(/-[\da-f]{8}$/, '')}-${await fingerprint(migration)}`;
		const advice =
			'Its statements were edited. If it is released, undo that and add a migration; otherwise rename it in store/migrations/index.ts, which makes existing stores unusable';
		expect({ advice, name }).toEqual({ advice, name: right });
	});
});
