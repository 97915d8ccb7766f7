import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Kysely, sql } from 'kysely';
import { isPostgres } from '../engine/dialect.ts';

/** The whole schema of the first release, from the files of its engine beside this one. */
export async function up(db: Kysely<unknown>): Promise<void> {
	const files = isPostgres(db)
		? ['0001-first.postgres.sql', '0001-rate-windows.postgres.sql']
		: ['0001-first.sqlite.sql'];
	for (const file of files) {
		const text = readFileSync(join(import.meta.dirname, file), 'utf8');
		// An empty line follows each statement, and no semicolon inside one.
		for (const statement of text.replaceAll(/^--.*\n/gm, '').split(';\n\n'))
			await sql.raw(statement).execute(db);
	}
}
