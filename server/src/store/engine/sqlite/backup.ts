import { chmodSync, closeSync, fsyncSync, openSync, rmSync } from 'node:fs';
import { sql } from 'kysely';
import { errorCode, StoreUnusableError } from '../../errors.ts';
import type { Db } from '../../schema.ts';

/**
 * Writes a consistent and compact copy of an embedded store while servers keep using it. Only the owner
 * can read the copy: it contains the credentials of phones and keys.
 * @throws StoreUnusableError when the file exists already or cannot be written
 */
export async function backUp(db: Db, file: string): Promise<void> {
	try {
		// Created here rather than by SQLite, so no one else can ever read it.
		closeSync(openSync(file, 'wx', 0o600));
	} catch (error) {
		const isThere = errorCode(error) === 'EEXIST';
		throw new StoreUnusableError(
			isThere
				? `${file} already exists. Name a new file: a backup never replaces another.`
				: `Cannot write ${file}: ${error instanceof Error ? error.message : String(error)}`,
			{ cause: error },
		);
	}
	try {
		await sql`vacuum into ${file}`.execute(db);
		chmodSync(file, 0o600);
		// SQLite leaves this to the system, and a migration may follow whose only way back is the copy.
		const written = openSync(file, 'r+');
		fsyncSync(written);
		closeSync(written);
	} catch (error) {
		rmSync(file, { force: true });
		throw new StoreUnusableError(
			`Cannot write ${file}: ${error instanceof Error ? error.message : String(error)}`,
			{ cause: error },
		);
	}
}
