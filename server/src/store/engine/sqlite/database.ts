import SqliteDatabase from 'better-sqlite3';
import { existsSync, mkdirSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { Kysely } from 'kysely';
import type { Database, StoreOptions } from '../../database.ts';
import { StoreUnusableError } from '../../errors.ts';
import { GroupCommit } from '../group-commit.ts';
import { migrate } from '../migrate.ts';
import { RateWindowsInMemory } from '../rate-windows.ts';
import type { Db, Tables } from '../../schema.ts';
import { claimDirectory, keepPrivate } from './files.ts';
import { preparedOnce } from './prepared-once.ts';
import { readTurns } from './read-turns.ts';
import { SqliteSets } from './sqlite-sets.ts';
import { SqliteForReading, SqliteWithStablePlans } from './stable-plans.ts';
import { committerOnSqlite } from './transaction.ts';

export const DATABASE_FILE = 'beckon.db';

/** Milliseconds that opening, migrating and reading wait for another process. */
const BUSY_TIMEOUT_MS = 5_000;

/** Interval between checks of the file for changes by another process; a check reads one counter. */
const FOREIGN_CHANGE_POLL_MS = 250;

/**
 * Pages of 4 KiB in the log before they are copied into the file: a page changed several times in between
 * is copied once. A push to 10,000 phones changes a page of each; SQLite's default is 1,000.
 */
const PAGES_PER_CHECKPOINT = 16_000;

/**
 * Page cache of the writing connection, in KiB. With SQLite's default of 2,000, a burst writes out pages
 * that it will change again.
 */
const PAGE_CACHE_KIB = 32_000;

function connect(file: string): SqliteDatabase.Database {
	const connection = new SqliteDatabase(file, { timeout: BUSY_TIMEOUT_MS });
	connection.pragma('journal_mode = WAL');
	// FULL: acknowledged writes survive a power failure; group commit shares the cost of the sync.
	connection.pragma('synchronous = FULL');
	connection.pragma('foreign_keys = ON');
	connection.pragma(`wal_autocheckpoint = ${PAGES_PER_CHECKPOINT}`);
	connection.function('sortable_name', { deterministic: true }, toSortable);
	return connection;
}

/** Lower case without accents, and each number with ten digits, as PostgreSQL makes it in device-pages.ts. */
function toSortable(name: unknown): string {
	const letters = String(name).normalize('NFD').replaceAll(/\p{M}/gu, '').toLowerCase();
	return letters.replaceAll(/\d+/g, (digits) => digits.padStart(10, '0'));
}

/**
 * Creates the directory and its parents. Avoids `recursive`, which never returns if a parent exists but
 * creating a directory in it fails with ENOENT, as in /proc.
 */
function createDirectory(directory: string): void {
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

/**
 * Opens the embedded store in `directory`, creating or migrating it.
 * @throws StoreUnusableError when the directory cannot be written, the file is not a database, or the data
 *         was written by a newer version of the program
 */
export async function openSqlite(
	directory: string,
	{ onError = () => undefined, onCommit, mustExist = false, isServer = false }: StoreOptions = {},
): Promise<Database> {
	const file = join(directory, DATABASE_FILE);
	if (mustExist && !existsSync(file)) {
		throw new StoreUnusableError(
			`There is no store in ${directory}. Check --data or BECKON_DATA; \`beckon-server start\` creates a new store.`,
		);
	}
	let release = () => {};
	let writing: SqliteDatabase.Database;
	let reading: SqliteDatabase.Database;
	try {
		createDirectory(directory);
		keepPrivate(file);
		writing = connect(file);
		reading = connect(file);
	} catch (error) {
		throw new StoreUnusableError(
			`Cannot use the data directory ${directory}: ${error instanceof Error ? error.message : String(error)}`,
			{ cause: error },
		);
	}
	const writer: Db = new Kysely<Tables>({
		dialect: new SqliteWithStablePlans({ database: preparedOnce(writing) }),
	});
	const reader: Db = new Kysely<Tables>({
		dialect: new SqliteForReading({ database: preparedOnce(reading) }),
	});
	const closeBoth = async () => {
		await Promise.all([writer.destroy(), reader.destroy()]);
		// Kysely does not close a connection that ran no query, and SQLite then leaves its log beside the file.
		for (const connection of [writing, reading]) connection.close();
		release();
	};
	try {
		if (isServer) release = claimDirectory(directory);
		await migrate(writer);
	} catch (error) {
		await closeBoth();
		throw error;
	}
	writing.pragma(`cache_size = -${PAGE_CACHE_KIB}`);
	// From now on committerOnSqlite waits for the lock, without blocking the event loop.
	writing.pragma('busy_timeout = 0');
	// The file has one writer at a time, whatever the account.
	const groupCommit = new GroupCommit({
		commit: committerOnSqlite(writer),
		onCommit,
	});

	return {
		read: reader,
		readInTurn: readTurns(reader),
		rateWindows: new RateWindowsInMemory(),
		write: (_accountId, run) => groupCommit.run(run),
		inSets: (run) =>
			new SqliteSets(groupCommit, run, (error) => onError(error, 'keeping requests in order')).add,
		announce() {
			// Other processes with the file open notice the change themselves.
		},
		onForeignChange(callback) {
			const version = () => writing.pragma('data_version', { simple: true });
			let seen = version();
			const timer = setInterval(() => {
				const now = version();
				if (now === seen) return;
				seen = now;
				callback('everything');
			}, FOREIGN_CHANGE_POLL_MS);
			timer.unref();
			return () => clearInterval(timer);
		},
		async close() {
			await groupCommit.idle();
			await closeBoth();
		},
	};
}
