import type SqliteDatabase from 'better-sqlite3';
import { withStatement } from '../statement.ts';
import type { SqliteDatabase as KyselySqlite, SqliteStatement } from 'kysely';
import { BoundedMap } from '../../../bounded-map.ts';

/** Statements that begin and end a group's transaction. */
export const BEGIN = 'begin immediate';
export const COMMIT = 'commit';
export const ROLLBACK = 'rollback';

class TransactionOver extends Error {
	/** As in SQLite's own errors. */
	readonly code = 'SQLITE_ABORT';

	constructor() {
		super('SQLite has ended the transaction');
	}
}

/** Statements kept: lists of ids produce one for each length. */
const MAX_STATEMENTS = 1_000;

/** Prepares a statement that is named in its errors. */
function naming(sql: string, connection: SqliteDatabase.Database): SqliteStatement {
	const attempt = <T>(run: () => T): T => {
		try {
			return run();
		} catch (error) {
			throw withStatement(error, sql);
		}
	};
	const prepared = attempt(() => connection.prepare(sql));
	return {
		reader: prepared.reader,
		all: (values) => attempt(() => prepared.all(values)),
		run: (values) => attempt(() => prepared.run(values)),
		iterate: (values) => prepared.iterate(values),
	};
}

/**
 * A connection for Kysely that prepares each SQL text once: on SQLite, preparing a statement takes longer
 * than running it.
 *
 * When SQLite itself ends a transaction, as on a full disk, the remaining statements would each be
 * committed separately; they are rejected instead.
 */
export function preparedOnce(connection: SqliteDatabase.Database): KyselySqlite {
	const statements = new BoundedMap<string, SqliteStatement>(MAX_STATEMENTS);
	let isInTransaction = false;
	return {
		prepare(sql) {
			if (sql === BEGIN) isInTransaction = true;
			else if (sql === COMMIT || sql === ROLLBACK) isInTransaction = false;
			else if (isInTransaction && !connection.inTransaction) throw new TransactionOver();
			return statements.getOr(sql, () => naming(sql, connection));
		},
		close: () => {
			statements.clear();
			connection.close();
		},
	};
}
