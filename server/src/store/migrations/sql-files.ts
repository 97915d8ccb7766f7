import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Kysely, sql } from 'kysely';

/** Runs the statements of files beside this one. */
export async function runSqlFiles(db: Kysely<unknown>, files: readonly string[]): Promise<void> {
	for (const file of files) {
		const text = readFileSync(join(import.meta.dirname, file), 'utf8');
		// An empty line follows each statement, and no semicolon inside one.
		for (const statement of text.replaceAll(/^--.*\n/gm, '').split(';\n\n'))
			await sql.raw(statement).execute(db);
	}
}
