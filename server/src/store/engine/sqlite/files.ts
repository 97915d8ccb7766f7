import { chmodSync, closeSync, fsyncSync, openSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import SqliteDatabase from 'better-sqlite3';
import { errorCode, StoreUnusableError } from '../../errors.ts';
import { sql } from 'kysely';
import type { Db } from '../../schema.ts';

/** Locked by the server that owns the folder; the system releases it whenever the process ends. */
const LOCK_FILE = 'server.lock';

/**
 * Claims the folder for this server: another one would invalidate its setup links and in-memory rate
 * limits.
 * @returns a function that releases it
 * @throws StoreUnusableError when another server has claimed it
 */
export function claimDirectory(directory: string): () => void {
	const file = join(directory, LOCK_FILE);
	keepPrivate(file);
	// A transaction on an empty database serves as the lock: Node.js has no file locks.
	const lock = new SqliteDatabase(file, { timeout: 0 });
	try {
		lock.exec('begin exclusive');
	} catch (error) {
		lock.close();
		if (errorCode(error) !== 'SQLITE_BUSY') throw error;
		throw new StoreUnusableError(
			`A server is already running on the data directory ${directory}. Stop it first, or name another folder with --data.`,
		);
	}
	return () => lock.close();
}

const OWNER_ONLY = 0o600;

/**
 * Restricts the database and SQLite's accompanying files to the owner, whatever the umask and the folder
 * allow. SQLite gives those files the database's mode.
 */
export function keepPrivate(file: string): void {
	closeSync(openSync(file, 'a', OWNER_ONLY));
	for (const name of [file, `${file}-wal`, `${file}-shm`]) {
		const found = statSync(name, { throwIfNoEntry: false });
		const isOpen = found !== undefined && (found.mode & 0o077) !== 0;
		if (isOpen && (found.uid === process.getuid?.() || process.getuid?.() === 0))
			chmodSync(name, OWNER_ONLY);
	}
}

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
