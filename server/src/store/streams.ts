import { compiledOnce } from './compiled-once.ts';
import type { Db, StreamRow } from './schema.ts';

const selectStream = compiledOnce<Pick<StreamRow, 'account_id' | 'stream_key'>, StreamRow>(
	(db, the) =>
		db
			.selectFrom('streams')
			.selectAll()
			.where(
				'account_id',
				'=',
				the((stream) => stream.account_id),
			)
			.where(
				'stream_key',
				'=',
				the((stream) => stream.stream_key),
			),
);

export async function streamByKey(
	db: Db,
	accountId: string,
	streamKey: string,
): Promise<StreamRow | undefined> {
	return (await selectStream(db, { account_id: accountId, stream_key: streamKey }))[0];
}

export async function saveStream(db: Db, stream: StreamRow): Promise<void> {
	const { account_id: _account, stream_key: _key, ...columns } = stream;
	await db
		.insertInto('streams')
		.values(stream)
		.onConflict((conflict) => conflict.columns(['account_id', 'stream_key']).doUpdateSet(columns))
		.execute();
}

export async function deleteStream(db: Db, accountId: string, streamKey: string): Promise<void> {
	await db
		.deleteFrom('streams')
		.where('account_id', '=', accountId)
		.where('stream_key', '=', streamKey)
		.execute();
}

/** The stream that shows this activity has none any more. */
export async function detachActivity(db: Db, activityId: string): Promise<void> {
	await db
		.updateTable('streams')
		.set({ activity_id: null })
		.where('activity_id', '=', activityId)
		.execute();
}

export function listStreams(db: Db, accountId: string): Promise<StreamRow[]> {
	return db
		.selectFrom('streams')
		.selectAll()
		.where('account_id', '=', accountId)
		.orderBy('stream_key')
		.execute();
}
