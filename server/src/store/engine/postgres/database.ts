import { sql } from 'kysely';
import type { Database, StoreOptions } from '../../database.ts';
import { StoreUnusableError } from '../../errors.ts';
import { migrate } from '../migrate.ts';
import type { Db } from '../../schema.ts';
import { Announcements } from './announcements.ts';
import { PostgresGroups } from './groups.ts';
import { createClient, kyselyOn } from './pool.ts';
import { RateWindowsInPostgres } from './rate-windows.ts';
import { PostgresSets } from './postgres-sets.ts';
import { shownUrl } from './url.ts';

/** Connections of one process, in addition to the listening one. */
const POOL_SIZE = 10;

/** Required by `pg_xact_status`, which reports the outcome of a commit. */
const OLDEST_VERSION = 13;

/** An arbitrary number that no other program on this database uses for an advisory lock. */
const MIGRATION_LOCK = 5_239_877_104_112;

/**
 * Opens the database at `url`, migrating it.
 * @throws StoreUnusableError when it cannot be reached or used, or was written by a newer version
 */
export async function openPostgres(
	url: string,
	{ onError = () => undefined, onCommit, mustExist = false, isPatient = false }: StoreOptions = {},
): Promise<Database> {
	await prepare(url, mustExist);
	const db = kyselyOn(url, { size: POOL_SIZE, isPatient });
	const announcements = new Announcements({
		db,
		connect: () => createClient(url),
		onError: (error) => onError(error, 'talking to the other servers'),
	});
	const groups = new PostgresGroups(db, onCommit);
	const sets: Array<{ idle: () => Promise<void> }> = [];

	return {
		read: db,
		readInTurn: (part) => part(db),
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

/** Migrates the database. Of processes starting together, one migrates and the others wait. */
async function prepare(url: string, mustExist: boolean): Promise<void> {
	const missing = `The database ${shownUrl(url)} has no Beckon store. Check BECKON_DATABASE_URL; \`beckon-server start\` creates a new store.`;
	const db = kyselyOn(url, { size: 3, isPatient: true });
	try {
		await db.connection().execute(async (locked) => {
			await assertUsable(locked);
			await sql`select pg_advisory_lock(${MIGRATION_LOCK})`.execute(locked);
			try {
				await migrate(db, mustExist ? missing : undefined);
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
