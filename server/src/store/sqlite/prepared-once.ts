import type SqliteDatabase from 'better-sqlite3';
import type { SqliteDatabase as KyselySqlite, SqliteStatement } from 'kysely';

/** Texts kept: lists of ids make one of each length. */
const MOST_STATEMENTS = 1_000;

/**
 * The connection as Kysely uses it, which prepares each text of SQL once: SQLite takes longer to
 * prepare a statement than to run it.
 */
export function preparedOnce(connection: SqliteDatabase.Database): KyselySqlite {
	const statements = new Map<string, SqliteStatement>();
	return {
		prepare(sql) {
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
