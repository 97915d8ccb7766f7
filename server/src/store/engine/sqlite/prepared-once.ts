import type SqliteDatabase from 'better-sqlite3';
import type { SqliteDatabase as KyselySqlite, SqliteStatement } from 'kysely';

/** How the writes of a group begin and end. */
export const BEGIN = 'begin immediate';
export const COMMIT = 'commit';
export const ROLLBACK = 'rollback';

class TransactionOver extends Error {
	/** As SQLite's own errors have it. */
	readonly code = 'SQLITE_ABORT';

	constructor() {
		super('SQLite has ended the transaction');
	}
}

/** Texts kept: lists of ids make one of each length. */
const MOST_STATEMENTS = 1_000;

/**
 * The connection as Kysely uses it, which prepares each text of SQL once: SQLite takes longer to
 * prepare a statement than to run it.
 *
 * When SQLite ends a transaction by itself, as it does when the disk is full, what is still to come of
 * it would be stored at once, each statement for itself; so it is refused.
 */
export function preparedOnce(connection: SqliteDatabase.Database): KyselySqlite {
	const statements = new Map<string, SqliteStatement>();
	let isInTransaction = false;
	return {
		prepare(sql) {
			if (sql === BEGIN) isInTransaction = true;
			else if (sql === COMMIT || sql === ROLLBACK) isInTransaction = false;
			else if (isInTransaction && !connection.inTransaction) throw new TransactionOver();
			let statement = statements.get(sql);
			if (!statement) {
				if (statements.size >= MOST_STATEMENTS) statements.clear();
				statement = connection.prepare(sql);
				statements.set(sql, statement);
			}
			return statement;
		},
		close: () => {
			statements.clear();
			connection.close();
		},
	};
}
