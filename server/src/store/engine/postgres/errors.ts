import pg from 'pg';
import { StoreUnavailableError } from '../../errors.ts';

/** The SQLSTATE of an error that PostgreSQL itself has answered with; every other one is of the connection. */
function sqlStateOf(error: unknown): string | undefined {
	return error instanceof pg.DatabaseError ? error.code : undefined;
}

/** The session is over: the server shuts down, crashed, or has thrown it out. */
const SESSION_OVER = /^(08|57P)|^25P03$/;

/** Connections, memory or disk are used up, a timeout passed, or the server takes only reads now. */
const NOT_NOW = /^(53|58)|^(57014|55P03|25006)$/;

/** Whether the connection cannot be used any more. */
export function isConnectionLost(error: unknown): boolean {
	const code = sqlStateOf(error);
	return code === undefined || SESSION_OVER.test(code);
}

/**
 * Another transaction came in this one's way: it was chosen to end a deadlock (40P01) or could not be
 * put in order (40001), or both stored the same unique value (23505), which it sees when it runs again.
 */
export function isCollision(error: unknown): boolean {
	return ['40P01', '40001', '23505'].includes(sqlStateOf(error) ?? '');
}

/** The error in the store's own words, where it says that the store is not there at the moment. */
export function translated(error: unknown): unknown {
	if (error instanceof StoreUnavailableError) return error;
	if (!isConnectionLost(error) && !NOT_NOW.test(sqlStateOf(error) ?? '')) return error;
	return new StoreUnavailableError(error instanceof Error ? error.message : String(error), {
		cause: error,
	});
}
