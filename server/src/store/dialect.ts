import { type Kysely, PostgresAdapter } from 'kysely';

/** For the few places where the two engines need different words. */
export function isPostgres<T>(db: Kysely<T>): boolean {
	return db.getExecutor().adapter instanceof PostgresAdapter;
}
