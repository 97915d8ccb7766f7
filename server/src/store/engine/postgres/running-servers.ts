import { sql } from 'kysely';
import { StoreUnusableError } from '../../errors.ts';
import type { Db } from '../../schema.ts';

/** An arbitrary number below 2^31, by which `pg_locks` lists the lock. */
const LOCK = 1_384_120_451;

/** Marks the session as that of a running server, until it ends: servers share this lock, and nobody waits for it. */
export const MARK_SERVER = `select pg_advisory_lock_shared(${LOCK})`;

/** @throws StoreUnusableError naming the servers that run on the database */
export async function assertNoServers(db: Db): Promise<void> {
	const { rows } = await sql<{ server: string }>`
		select coalesce(host(client_addr), 'a local socket')
			|| to_char(backend_start at time zone 'UTC', '" (connected since "YYYY-MM-DD"T"HH24:MI:SS"Z)"') as server
		from pg_locks join pg_stat_activity using (pid)
		where locktype = 'advisory' and classid = 0 and objid = ${LOCK} and datname = current_database()
			and pg_locks.database = datid
		order by backend_start`.execute(db);
	if (rows.length === 0) return;
	const servers = rows.map(({ server }) => server).join(', ');
	throw new StoreUnusableError(
		`${rows.length === 1 ? 'A server still runs' : `${rows.length} servers still run`} on the database, from ${servers}. Stop all of them, then run this again; nothing was changed.`,
	);
}
