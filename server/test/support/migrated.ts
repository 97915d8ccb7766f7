import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DATABASE_FILE, openSqlite } from '../../src/store/engine/sqlite/database.ts';

let migrated: Promise<Buffer> | undefined;

/** An empty store in a file, after all migrations. */
async function migrate(): Promise<Buffer> {
	const directory = mkdtempSync(join(tmpdir(), 'beckon-migrated-'));
	try {
		await (await openSqlite(directory)).close();
		return readFileSync(join(directory, DATABASE_FILE));
	} finally {
		rmSync(directory, { recursive: true });
	}
}

/** Puts an empty store into `directory`. Migrating it there would take most of the time of most tests. */
export async function putMigratedStore(directory: string): Promise<void> {
	migrated ??= migrate();
	writeFileSync(join(directory, DATABASE_FILE), await migrated, { mode: 0o600 });
}
