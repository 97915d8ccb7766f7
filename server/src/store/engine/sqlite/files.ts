import { chmodSync, closeSync, openSync, statSync } from 'node:fs';
import { join } from 'node:path';
import SqliteDatabase from 'better-sqlite3';
import { codeOf, StoreUnusableError } from '../../errors.ts';

/** Locked by the server that has the folder; the system frees it when the process ends, however it ends. */
const LOCK_FILE = 'server.lock';

/**
 * Makes the folder this server's own: it has what another would void, setup links and rate limits in memory.
 * @returns how to give it back
 * @throws StoreUnusableError when a server has it
 */
export function claimDirectory(directory: string): () => void {
	const file = join(directory, LOCK_FILE);
	keepPrivate(file);
	// A transaction on an empty database is the lock: Node.js has no file locks of its own.
	const lock = new SqliteDatabase(file, { timeout: 0 });
	try {
		lock.exec('begin exclusive');
	} catch (error) {
		lock.close();
		if (codeOf(error) !== 'SQLITE_BUSY') throw error;
		throw new StoreUnusableError(
			`A server runs on the data directory ${directory} already. Stop it first, or name another folder with --data.`,
		);
	}
	return () => lock.close();
}

const OWNER_ONLY = 0o600;

/**
 * Lets only the owner read the database and what SQLite keeps beside it, whatever the umask and the
 * folder allow. SQLite gives the files beside the database its mode.
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
