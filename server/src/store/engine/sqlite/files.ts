import {
	chmodSync,
	closeSync,
	copyFileSync,
	existsSync,
	fchownSync,
	fsyncSync,
	mkdirSync,
	openSync,
	readdirSync,
	renameSync,
	rmSync,
	statSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import SqliteDatabase from 'better-sqlite3';
import { errorCode, StoreUnusableError } from '../../errors.ts';
import { sql } from 'kysely';
import type { Db } from '../../schema.ts';

/** Locked by the server that owns the folder; the system releases it whenever the process ends. */
const LOCK_FILE = 'server.lock';

/**
 * Claims the folder, which it creates if needed, for this server: another one would invalidate its setup links and
 * in-memory rate limits.
 * @returns a function that releases it
 * @throws StoreUnusableError when another server has claimed it, or this user may not
 */
export function claimDirectory(directory: string): () => void {
	let lock: SqliteDatabase.Database | undefined;
	try {
		createDirectory(directory);
		const file = join(directory, LOCK_FILE);
		keepPrivate(file);
		// A transaction on an empty database serves as the lock: Node.js has no file locks.
		lock = new SqliteDatabase(file, { timeout: 0 });
		lock.exec('begin exclusive');
		sweepUnfinished(directory);
	} catch (error) {
		lock?.close();
		if (errorCode(error) !== 'SQLITE_BUSY') throw unusable(directory, error);
		throw new StoreUnusableError(
			`A server is already running on the data directory ${directory}. Stop it first, or name another folder with --data.`,
		);
	}
	return () => lock.close();
}

/**
 * Creates the directory and its parents. Avoids `recursive`, which never returns if a parent exists but
 * creating a directory in it fails with ENOENT, as in /proc.
 */
export function createDirectory(directory: string): void {
	const isThere = () => statSync(directory, { throwIfNoEntry: false })?.isDirectory() ?? false;
	if (isThere()) return;
	const parent = dirname(directory);
	if (!existsSync(parent)) createDirectory(parent);
	try {
		mkdirSync(directory, { mode: 0o700 });
	} catch (error) {
		// Another process may have created it meanwhile.
		if (!isThere()) throw error;
	}
}

/** The reason this user cannot use the folder. If access is denied, also says who owns it, and what to run. */
export function unusable(directory: string, error: unknown): StoreUnusableError {
	const isForbidden = ['EACCES', 'EPERM', 'SQLITE_CANTOPEN'].includes(errorCode(error));
	const message = error instanceof Error ? error.message : String(error);
	const advice = isForbidden ? adviceOnOwner(directory) : '';
	return new StoreUnusableError(`Cannot use the data directory ${directory}: ${message}${advice}`, {
		cause: error,
	});
}

function adviceOnOwner(directory: string): string {
	const [owner, user] = [ownerOf(directory), process.geteuid?.()];
	return owner === user
		? `. Everything in it must belong to this user, as after: sudo chown -R ${owner} ${directory}`
		: `. It belongs to user ${owner}, and this is user ${user}: run the command as its owner, as with sudo -u '#${owner}' beckon-server …`;
}

/** The owner's user id; that of the parent folder, if this user may not enter it. */
function ownerOf(directory: string): number {
	try {
		return statSync(directory).uid;
	} catch (error) {
		const around = dirname(directory);
		if (around === directory) throw error;
		return ownerOf(around);
	}
}

/** Ends the names of files that are still being written. */
const UNFINISHED = '.unfinished';

/** Matches names that copies get here, and their journals. A copy with an operator's name may be in progress. */
const OWN_UNFINISHED = /^beckon(-.*\d{8}T\d{6}Z)?\.db\.unfinished/;

/** Deletes what interrupted copies have left. */
export function sweepUnfinished(directory: string): void {
	for (const name of readdirSync(directory))
		if (OWN_UNFINISHED.test(name)) rmSync(join(directory, name));
}

const OWNER_ONLY = 0o600;

/**
 * Creates a file that only its owner can read. If root creates it, the folder's owner gets it, because a server of that
 * user must be able to open it. SQLite does the same with the files beside a database.
 * @returns its descriptor
 * @throws EEXIST if there is one, also a link that leads nowhere
 */
export function createPrivate(file: string): number {
	const created = openSync(file, 'wx', OWNER_ONLY);
	giveToOwner(created, file);
	return created;
}

function giveToOwner(descriptor: number, file: string): void {
	const { uid, gid } = statSync(dirname(file));
	if (process.geteuid?.() === 0) fchownSync(descriptor, uid, gid);
}

/**
 * Restricts the database and SQLite's accompanying files to the owner, whatever the umask and the folder
 * allow. SQLite gives those files the database's mode.
 */
export function keepPrivate(file: string): void {
	try {
		closeSync(createPrivate(file));
	} catch (error) {
		if (errorCode(error) !== 'EEXIST') throw error;
		// Fails for a link that leads nowhere, and for a file of another user.
		closeSync(openSync(file, 'r+'));
	}
	for (const name of [file, `${file}-wal`, `${file}-shm`]) {
		const found = statSync(name, { throwIfNoEntry: false });
		const isOpen = found !== undefined && (found.mode & 0o077) !== 0;
		if (isOpen && (found.uid === process.getuid?.() || process.getuid?.() === 0))
			chmodSync(name, OWNER_ONLY);
	}
}

/**
 * Writes a consistent and compact copy of an embedded store while servers keep using it, and checks that it is whole.
 * Only its owner can read it: it contains the credentials of phones and keys.
 * @throws StoreUnusableError when the file exists already, cannot be written, or is damaged
 */
export async function backUp(db: Db, file: string): Promise<void> {
	if (existsSync(file))
		throw new StoreUnusableError(
			`${file} already exists. Name a new file: a backup never replaces another.`,
		);
	await finish('the store', file, (copy) => sql`vacuum into ${copy}`.execute(db));
}

/**
 * Puts a backup in the place of the store, which stays beside it. No server may run.
 * @returns the new name of the replaced store; undefined: there was none
 * @throws StoreUnusableError when a server runs, or the backup cannot be read or is damaged; nothing is changed then
 */
export async function restore(store: string, backup: string): Promise<string | undefined> {
	const release = claimDirectory(dirname(store));
	try {
		const replaced = store.replace(/\.db$/, `-replaced-${fileTime()}.db`);
		const isThere = existsSync(store);
		const putAside = () => {
			for (const end of ['', '-wal', '-shm'])
				if (existsSync(store + end)) renameSync(store + end, replaced + end);
		};
		await finish(backup, store, (copy) => copyFileSync(backup, copy), putAside);
		return isThere ? replaced : undefined;
	} finally {
		release();
	}
}

/** The time for a file's name, in UTC. */
export function fileTime(now = Date.now()): string {
	return new Date(now).toISOString().replaceAll(/[-:]|\.\d+/g, '');
}

/**
 * Writes a store under another name, which it loses once it is whole and on the disk.
 * @param source its name for people
 */
async function finish(
	source: string,
	file: string,
	write: (unfinished: string) => unknown,
	before?: () => void,
): Promise<void> {
	const unfinished = `${file}${UNFINISHED}`;
	try {
		rmSync(unfinished, { force: true });
		// Created here rather than by SQLite, so no one else can ever read it.
		closeSync(createPrivate(unfinished));
		await write(unfinished);
		chmodSync(unfinished, OWNER_ONLY);
		requireWhole(unfinished);
		// SQLite leaves this to the system, and a migration may follow whose only way back is the copy.
		const written = openSync(unfinished, 'r+');
		// A file copied by root belongs to the owner of its source.
		giveToOwner(written, unfinished);
		fsyncSync(written);
		closeSync(written);
		before?.();
		renameSync(unfinished, file);
	} catch (error) {
		rmSync(unfinished, { force: true });
		throw new StoreUnusableError(
			`Cannot write ${source} to ${file}: ${error instanceof Error ? error.message : String(error)}`,
			{ cause: error },
		);
	}
}

/** @throws Error unless the file is an undamaged Beckon store */
function requireWhole(file: string): void {
	const store = new SqliteDatabase(file);
	try {
		const found = store.pragma('quick_check(1)', { simple: true });
		if (found !== 'ok') throw new Error(`it is damaged: ${String(found).replaceAll('\n', ', ')}`);
		store.prepare('select 1 from kysely_migration limit 1').get();
	} finally {
		store.close();
	}
}
