import { sql } from 'kysely';
import type { Job, Settle } from '../group-commit.ts';
import type { Db } from '../schema.ts';

/**
 * Runs the jobs in one transaction, a savepoint each. SQLite has one writer at a time, so whoever
 * would come next waits here rather than in the file's lock.
 */
export async function commitOnSqlite(writer: Db, jobs: readonly Job[]): Promise<Settle[]> {
	const settle: Settle[] = [];
	await writer.connection().execute(async (db) => {
		await sql`begin immediate`.execute(db);
		try {
			for (const job of jobs) settle.push(await runInSavepoint(db, job));
			await sql`commit`.execute(db);
		} catch (error) {
			await sql`rollback`.execute(db).catch(() => {
				// SQLite has rolled back by itself, as it does when the disk is full.
			});
			throw error;
		}
	});
	return settle;
}

async function runInSavepoint(db: Db, job: Job): Promise<Settle> {
	await sql`savepoint job`.execute(db);
	try {
		const value = await job.run(db);
		await sql`release job`.execute(db);
		return () => job.resolve(value);
	} catch (error) {
		await sql`rollback to job`.execute(db);
		await sql`release job`.execute(db);
		return () => job.reject(error);
	}
}
