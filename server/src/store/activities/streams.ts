import { sql } from 'kysely';
import { isAmong, statement } from '../engine/statement.ts';
import { deleteStatement, insertStatement, rowsStatement } from '../engine/json-rows.ts';
import { columnsOf, type Db, type StreamRow } from '../schema.ts';

export type StreamName = Pick<StreamRow, 'account_id' | 'stream_key'>;

const KEY = ['account_id', 'stream_key'] as const;

const COLUMNS = columnsOf('streams');

/** The existing streams with these keys, of several accounts. */
export const streamsByKey = rowsStatement(
	'streams',
	KEY,
	(_db, rows) => sql<StreamRow>`
		select ${sql.join(COLUMNS.map((column) => sql.ref(`streams.${column}`)))}
		from (${rows}) as asked
		cross join streams
		where streams.account_id = asked.account_id and streams.stream_key = asked.stream_key`,
);

export async function streamByKey(
	db: Db,
	accountId: string,
	streamKey: string,
): Promise<StreamRow | undefined> {
	return (await streamsByKey(db, [{ account_id: accountId, stream_key: streamKey }]))[0];
}

/** Stores streams, replacing those with the same keys. */
export const saveStreams = insertStatement('streams', COLUMNS, { replace: { key: KEY } });

export const deleteStreams = deleteStatement('streams', KEY);

/** Detaches ended activities from their streams. */
export const detachActivities = statement<{ activityIds: readonly string[] }, unknown>(
	(db, params) =>
		db
			.updateTable('streams')
			.set({ activity_id: null })
			.where(isAmong(db, 'activity_id', params.activityIds)),
);
