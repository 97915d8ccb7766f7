import pg from 'pg';
import { StoreUnavailableError } from '../../errors.ts';

/** The SQLSTATE of an error reported by PostgreSQL itself; all other errors concern the connection. */
function readSqlState(error: unknown): string | undefined {
	return error instanceof pg.DatabaseError ? error.code : undefined;
}

/** The session is over: the server is shutting down, has crashed, or has ended it. */
const SESSION_OVER = /^(08|57P)|^25P03$/;

/** Connections, memory or disk are exhausted, a timeout passed, or the server is read-only at the moment. */
const NOT_NOW = /^(53|58)|^(57014|55P03|25006)$/;

/** True if the connection can no longer be used. */
export function isConnectionLost(error: unknown): boolean {
	const code = readSqlState(error);
	return code === undefined || SESSION_OVER.test(code);
}

/**
 * True if another transaction interfered: this one was chosen to end a deadlock (40P01), could not be
 * serialized (40001), or both stored the same unique value (23505), which is visible in the next run.
 */
export function isCollision(error: unknown): boolean {
	return ['40P01', '40001', '23505'].includes(readSqlState(error) ?? '');
}

/** Converts an error to StoreUnavailableError if it means that the store is unavailable. */
export function translated(error: unknown): unknown {
	if (error instanceof StoreUnavailableError) return error;
	if (!isConnectionLost(error) && !NOT_NOW.test(readSqlState(error) ?? '')) return error;
	return new StoreUnavailableError(error instanceof Error ? error.message : String(error), {
		cause: error,
	});
}
