import SqliteDatabase from 'better-sqlite3';
import { accessSync, constants, rmSync } from 'node:fs';
import { join } from 'node:path';
import {
	Kysely,
	type QueryCompiler,
	SqliteAdapter,
	SqliteDialect,
	SqliteQueryCompiler,
} from 'kysely';
import type { Database, Migrated, StoreOptions } from '../../database.ts';
import { scheduleEvery } from '../../../regular-work.ts';
import { errorCode, StoreUnusableError } from '../../errors.ts';
import { GroupCommit } from '../group-commit.ts';
import { prepareSchema } from '../migrate.ts';
import { RateWindowsInMemory } from '../rate-windows.ts';
import type { Db, Tables } from '../../schema.ts';
import {
	backUp,
	claimDirectory,
	createDirectory,
	fileTime,
	keepPrivate,
	unusable,
} from './files.ts';
import { committerOnSqlite, preparedOnce } from './transaction.ts';
import { SqliteSets } from './sqlite-sets.ts';
import { setImmediate } from 'node:timers/promises';

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

/** Lower case without accents, and each number with ten digits, as PostgreSQL makes it in phones/devices.ts. */
function toSortable(name: unknown): string {
	const letters = String(name).normalize('NFD').replaceAll(/\p{M}/gu, '').toLowerCase();
	return letters.replaceAll(/\d+/g, (digits) => digits.padStart(10, '0'));
}

/**
 * Migrates the store in `directory`; a copy of the old one stays beside it.
 * @param from the newest migration that it has, which is in the name of the copy
 * @returns the file of the copy
 * @throws StoreUnusableError when the copy cannot be written; or the error of the migration, after which the
 *         store is as it was
 */
async function migrateWithCopy(
	db: Db,
	directory: string,
	from: string,
	migrate: () => Promise<void>,
): Promise<string> {
	const copy = join(directory, `beckon-${from}-${fileTime()}.db`);
	try {
		await backUp(db, copy);
	} catch (error) {
		throw new StoreUnusableError(
			`The data is copied before it is migrated. ${error instanceof Error ? error.message : String(error)}. The data was not changed.`,
			{ cause: error },
		);
	}
	try {
		await migrate();
	} catch (error) {
		// A server that a supervisor starts again and again would fill the disk with copies.
		rmSync(copy);
		throw error;
	}
	return copy;
}

/** @throws StoreUnusableError when there is no store, or this user may not open it */
function requireStore(directory: string, file: string): void {
	try {
		accessSync(file, constants.R_OK | constants.W_OK);
	} catch (error) {
		if (!['ENOENT', 'ENOTDIR'].includes(errorCode(error))) throw unusable(directory, error);
		throw new StoreUnusableError(
			`There is no store in ${directory}. Check --data or BECKON_DATA; \`beckon-server start\` creates a new store.`,
		);
	}
}

/**
 * Opens the embedded store in `directory`; creates it, or migrates one of an older version, if the options allow it.
 * @throws StoreUnusableError when the directory cannot be written, the file is not a database, or the data
 *         has the schema of another version
 */
export async function openSqlite(directory: string, options: StoreOptions = {}): Promise<Database> {
	const { onError = () => undefined, mustExist = false, olderStore, isServer = false } = options;
	const file = join(directory, DATABASE_FILE);
	if (mustExist) requireStore(directory, file);
	let release = () => {};
	let writing: SqliteDatabase.Database;
	let reading: SqliteDatabase.Database;
	try {
		createDirectory(directory);
		keepPrivate(file);
		writing = connect(file);
		reading = connect(file);
	} catch (error) {
		throw unusable(directory, error);
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
	let migrated: Migrated | undefined;
	try {
		if (isServer) release = claimDirectory(directory);
		migrated = await prepareSchema(writer, {
			missing: undefined,
			olderStore,
			advice: `restart the server with this version, or stop it and run \`beckon-server migrate --data ${directory}\` without BECKON_DATABASE_URL`,
			write: (job) => new GroupCommit({ run: committerOnSqlite(writer) }).run(job),
			around: (from, migrate) => migrateWithCopy(reader, directory, from, migrate),
		});
	} catch (error) {
		await closeBoth();
		throw error;
	}
	writing.pragma(`cache_size = -${PAGE_CACHE_KIB}`);
	// From now on, committerOnSqlite waits for the lock without blocking the event loop.
	writing.pragma('busy_timeout = 0');
	// The file has one writer at a time, whatever the account.
	const groupCommit = new GroupCommit({ run: committerOnSqlite(writer) });

	return {
		migrated,
		read: reader,
		readInTurn: readTurns(reader),
		rateWindows: new RateWindowsInMemory(),
		write: (_accountId, run) => groupCommit.run(run),
		inSets: (run) =>
			new SqliteSets(groupCommit, run, (error) => onError(error, 'keeping requests in order')).add,
		announce() {
			// Other processes with the file open notice the change themselves.
		},
		onRemoteChange(callback) {
			const version = () => writing.pragma('data_version', { simple: true });
			let seen = version();
			const look = () => {
				const now = version();
				if (now === seen) return;
				callback('everything');
				seen = now;
			};
			const looking = scheduleEvery(
				FOREIGN_CHANGE_POLL_MS,
				'looking for changes of other processes',
				look,
				onError,
			);
			return () => void looking.stop();
		},
		async close() {
			await groupCommit.idle();
			await closeBoth();
		},
	};
}

/**
 * Reads of a store that does one thing at a time, each after those requested before it: other work gets its
 * turn between any two, however many are waiting.
 * @returns a function that waits for its turn, and runs the read
 */
function readTurns(db: Db): Database['readInTurn'] {
	let last: Promise<unknown> = Promise.resolve();
	return (read) => {
		const done = last.then(() => read(db));
		last = done.catch(() => undefined).then(() => setImmediate());
		return done;
	};
}

/**
 * Kysely's SQLite dialect with each parameter written `+?`: the same value, but ignored by SQLite's
 * planner (sqlite.org/queryplanner-ng.html, "query planner stability guarantee"). With STAT4, as in
 * better-sqlite3, it otherwise replans a query with a join for each run, which takes several times as
 * long as running it.
 *
 * The cost: a partial index is used only for a condition whose value is written in the query, with
 * `sql.lit`.
 */
export class SqliteWithStablePlans extends SqliteDialect {
	override createQueryCompiler(): QueryCompiler {
		return new StablePlanCompiler();
	}
}

class StablePlanCompiler extends SqliteQueryCompiler {
	protected override getCurrentParameterPlaceholder(): string {
		return '+?';
	}
}

/**
 * The same without Kysely's queue for the connection, which wakes every waiting query after each one: a
 * thousand reads took a million steps. Reads need no queue: each is one statement, which better-sqlite3 runs to
 * completion before it returns. A transaction needs it, so never begin one on such a connection.
 */
class SqliteForReading extends SqliteWithStablePlans {
	override createAdapter(): SqliteAdapter {
		// Kysely calls this only to decide whether it needs the queue.
		return Object.defineProperty(new SqliteAdapter(), 'supportsMultipleConnections', {
			value: true,
		});
	}
}
