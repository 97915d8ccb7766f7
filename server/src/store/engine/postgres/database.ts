import { sql } from 'kysely';
import type { Database, Migrated, StoreOptions } from '../../database.ts';
import { StoreUnusableError } from '../../errors.ts';
import { prepareSchema } from '../migrate.ts';
import type { Db } from '../../schema.ts';
import { Announcements, requireNoServers } from './announcements.ts';
import { PostgresGroups } from './transaction.ts';
import { createClient, kyselyOn } from './pool.ts';
import { RateWindowsInPostgres } from './rate-windows.ts';
import { PostgresSets } from './postgres-sets.ts';
import { shownUrl } from './url.ts';

/** Required by `pg_xact_status`, which returns the outcome of a commit. */
const OLDEST_VERSION = 13;

/** An arbitrary number that no other program on this database uses for an advisory lock. */
const MIGRATION_LOCK = 5_239_877_104_112;

export interface PostgresLocation {
	/** Empty: none. */
	url: string;
	/** The same database, bypassing a pooler without sessions; undefined or empty: `url` supports them. */
	listenUrl?: string;
	/** Maximum connections of this process, besides the listening one. */
	poolSize?: number;
}

/**
 * Opens the database at `url`; creates the store, or migrates one of an older version, if the options allow it. With a
 * `listenUrl`, no connection to `url` relies on a session that lasts longer than a transaction.
 * @throws StoreUnusableError when it cannot be reached or used, or has the schema of another version
 */
export async function openPostgres(location: PostgresLocation, options: StoreOptions = {}) {
	const { url, listenUrl, poolSize = 10 } = location;
	const { onError = () => undefined, hasNoTimeouts = false } = options;
	const direct = listenUrl || url;
	const db = kyselyOn(url, { size: poolSize, hasNoTimeouts, hasSessions: direct === url });
	const announcements = new Announcements({
		db,
		connect: () => createClient(direct),
		deaf: `No notification (NOTIFY) sent over ${shownUrl(url)} arrives over ${shownUrl(direct)}, so servers would not hear of each other's changes: set BECKON_DATABASE_LISTEN_URL to an address of the same database without a connection pooler, or with one in session mode.`,
		onError: (error) => onError(error, 'talking to the other servers'),
	});
	let migrated: Migrated | undefined;
	try {
		await orUnusable(url, requireUsable(db));
		// First, since a pooler that loses sessions would also lose the lock of the migration.
		await orUnusable(direct, announcements.test());
		migrated = await orUnusable(direct, prepare(direct, options));
	} catch (error) {
		await db.destroy();
		throw error;
	}
	const groups = new PostgresGroups(db);
	const sets: Array<{ idle: () => Promise<void> }> = [];

	return {
		migrated,
		read: db,
		readInTurn: (part) => part(db),
		rateWindows: new RateWindowsInPostgres(db, (error) => onError(error, 'sweeping rate windows')),
		async write(accountId, job) {
			if (accountId === null) return groups.runWithoutAccount(job);
			const value = await groups.run(accountId, job);
			announcements.announce(`account ${accountId}`);
			return value;
		},
		inSets(run) {
			const ofKind = new PostgresSets(run, {
				db,
				announce: (accountId) => announcements.announce(`account ${accountId}`),
				report: (error) => onError(error, 'keeping requests in order'),
			});
			sets.push(ofKind);
			return ofKind.add;
		},
		announce: (topic) => announcements.announce(topic),
		onRemoteChange: (callback) => announcements.onRemoteChange(callback),
		async close() {
			await Promise.all(sets.map((ofKind) => ofKind.idle()));
			await groups.idle();
			await announcements.close();
			await db.destroy();
		},
	} satisfies Database;
}

/** Prepares the tables. Of processes starting together, one creates or migrates them and the others wait. */
async function prepare(url: string, { mustExist, olderStore }: StoreOptions) {
	const missing = `The database ${shownUrl(url)} has no Beckon store. Check BECKON_DATABASE_URL; \`beckon-server start\` creates a new store.`;
	const db = kyselyOn(url, { size: 3, hasNoTimeouts: true });
	try {
		return await db.connection().execute(async (locked) => {
			await sql`select pg_advisory_lock(${MIGRATION_LOCK})`.execute(locked);
			try {
				return await prepareSchema(db, {
					missing: mustExist ? missing : undefined,
					olderStore,
					advice:
						'back it up, stop its servers and run `beckon-server migrate`, or start with BECKON_MIGRATE_ON_START=true',
					write: (job) => new PostgresGroups(db).runWithoutAccount(job),
					async around(_from, migrate) {
						if (olderStore === 'migrate alone') await requireNoServers(locked);
						await migrate();
						return undefined;
					},
				});
			} finally {
				await sql`select pg_advisory_unlock(${MIGRATION_LOCK})`.execute(locked);
			}
		});
	} finally {
		await db.destroy();
	}
}

/** PgBouncer's error for parameters in the address; the server makes its own settings after connecting. */
const REFUSED_PARAMETER = /unsupported startup parameter/;

/** @throws StoreUnusableError with the address, for whatever went wrong there */
async function orUnusable<T>(url: string, work: Promise<T>): Promise<T> {
	try {
		return await work;
	} catch (error) {
		if (error instanceof StoreUnusableError) throw error;
		const message = error instanceof Error ? error.message : String(error);
		const advice = REFUSED_PARAMETER.test(message)
			? '. Leave it out of the address, and use `alter role … set …` on the database instead.'
			: '';
		throw new StoreUnusableError(`Cannot use the database ${shownUrl(url)}: ${message}${advice}`, {
			cause: error,
		});
	}
}

async function requireUsable(db: Db): Promise<void> {
	const { rows } = await sql<{ version: number; encoding: string }>`
		select current_setting('server_version_num')::integer / 10000 as version,
			current_setting('server_encoding') as encoding`.execute(db);
	const { version = 0, encoding = '' } = rows[0] ?? {};
	if (version < OLDEST_VERSION)
		throw new StoreUnusableError(
			`Beckon needs PostgreSQL ${OLDEST_VERSION} or newer; this server is ${version}.`,
		);
	if (encoding !== 'UTF8')
		throw new StoreUnusableError(
			`The database has the encoding ${encoding}. Create it with encoding UTF8.`,
		);
}
