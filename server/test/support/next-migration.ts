import { join } from 'node:path';
import { type Migration, migrations } from '../../src/store/migrations/index.ts';

/** The name of a migration that only tests have: it follows all others, however many there are. */
export const NEXT = '9999-test-00000000';

/** The file of the program that has it. */
export const NEWER_PROGRAM = join(import.meta.dirname, 'newer-program.ts');

export const NEXT_STATEMENTS = [
	"alter table accounts add column motto text not null default 'none'",
	'create table mottos (\n\tmotto text primary key\n)',
];

export const nextMigration: Migration = () => NEXT_STATEMENTS;

/** The newest migration of the program as it is. */
export const NEWEST = Object.keys(migrations).at(-1)!;

/** Runs `job` in the program with one more migration. */
export async function withMigration<T>(migration: Migration, job: () => Promise<T>): Promise<T> {
	migrations[NEXT] = migration;
	try {
		return await job();
	} finally {
		Reflect.deleteProperty(migrations, NEXT);
	}
}
