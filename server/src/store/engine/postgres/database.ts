import { sql } from 'kysely';
import type { Database, Migrated, StoreOptions } from '../../database.ts';
import { StoreUnusableError } from '../../errors.ts';
import { prepareSchema } from '../migrate.ts';
import type { Db } from '../../schema.ts';
import { Announcements } from './announcements.ts';
import { PostgresGroups } from './groups.ts';
import { createClient, kyselyOn } from './pool.ts';
import { RateWindowsInPostgres } from './rate-windows.ts';
import { PostgresSets } from './postgres-sets.ts';
import { assertNoServers } from './running-servers.ts';
import { shownUrl } from './url.ts';

/** Connections of one process, besides the listening one. */
const POOL_SIZE = 10;

/** Required by `pg_xact_status`, which tells the outcome of a commit. */
const OLDEST_VERSION = 13;

/** An arbitrary number that no other program on this database uses for an advisory lock. */
const MIGRATION_LOCK = 5_239_877_104_112;

/**
 * Opens the database at `url`; creates the store, or migrates that of an older version, if the options allow it.
 * @throws StoreUnusableError when it cannot be reached or used, or has the schema of another version
 */
export async function openPostgres(url: string, options: StoreOptions = {}): Promise<Database> {
	const { onError = () => undefined, onCommit, isPatient = false } = options;
	const migrated = await prepare(url, options);
	const db = kyselyOn(url, { size: POOL_SIZE, isPatient });
	const announcements = new Announcements({
		db,
		connect: () => createClient(url),
		onError: (error) => onError(error, 'talking to the other servers'),
	});
	const groups = new PostgresGroups(db, onCommit);
	const sets: Array<{ idle: () => Promise<void> }> = [];

	return {
		migrated,
		read: db,
		rateWindows: new RateWindowsInPostgres(db, (error) => onError(error, 'sweeping rate windows')),
		async write(accountId, job) {
			if (accountId === null) return groups.runOfNone(job);
			const value = await groups.run(accountId, job);
			announcements.announce(`account ${accountId}`);
			return value;
		},
		inSets(run) {
			const ofKind = new PostgresSets(run, {
				db,
				writeAlone: (accountId, job) => groups.run(accountId, job),
				announce: (accountId) => announcements.announce(`account ${accountId}`),
				onCommit,
				report: (error) => onError(error, 'keeping requests in order'),
			});
			sets.push(ofKind);
			return ofKind.add;
		},
		announce: (topic) => announcements.announce(topic),
		onForeignChange: (callback) => announcements.onForeignChange(callback),
		async close() {
			await Promise.all(sets.map((ofKind) => ofKind.idle()));
			await groups.idle();
			await announcements.close();
			await db.destroy();
		},
	};
}

/** Prepares the tables. Of processes starting together, one creates or migrates them and the others wait. */
async function prepare(
	url: string,
	{ mustExist, olderStore }: StoreOptions,
): Promise<Migrated | undefined> {
	const missing = `The database ${shownUrl(url)} holds no store of Beckon. Check BECKON_DATABASE_URL; \`beckon-server start\` makes a new store.`;
	const db = kyselyOn(url, { size: 3, isPatient: true });
	try {
		return await db.connection().execute(async (locked) => {
			await assertUsable(locked);
			await sql`select pg_advisory_lock(${MIGRATION_LOCK})`.execute(locked);
			try {
				return await prepareSchema(db, {
					missing: mustExist ? missing : undefined,
					olderStore,
					advice:
						'back it up, stop its servers and run `beckon-server migrate`, or start with BECKON_MIGRATE_ON_START=true',
					write: (job) => new PostgresGroups(db, undefined).runOfNone(job),
					async around(_from, migrate) {
						if (olderStore === 'migrate alone') await assertNoServers(locked);
						await migrate();
						return undefined;
					},
				});
			} finally {
				await sql`select pg_advisory_unlock(${MIGRATION_LOCK})`.execute(locked);
			}
		});
	} catch (error) {
		if (error instanceof StoreUnusableError) throw error;
		throw new StoreUnusableError(
			`Cannot use the database ${shownUrl(url)}: ${error instanceof Error ? error.message : String(error)}`,
			{ cause: error },
		);
	} finally {
		await db.destroy();
	}
}

async function assertUsable(db: Db): Promise<void> {
	const { rows } = await sql<{ version: number; encoding: string }>`
		select current_setting('server_version_num')::integer / 10000 as version,
			current_setting('server_encoding') as encoding`.execute(db);
	const { version = 0, encoding = '' } = rows[0] ?? {};
	if (version < OLDEST_VERSION) {
		throw new StoreUnusableError(
			`Beckon needs PostgreSQL ${OLDEST_VERSION} or newer; this server is ${version}.`,
		);
	}
	if (encoding !== 'UTF8') {
		throw new StoreUnusableError(
			`The database has the encoding ${encoding}. Create it with encoding UTF8.`,
		);
	}
}
