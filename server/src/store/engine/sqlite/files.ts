import { chmodSync, closeSync, openSync, statSync } from 'node:fs';
import { join } from 'node:path';
import SqliteDatabase from 'better-sqlite3';
import { errorCode, StoreUnusableError } from '../../errors.ts';

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
