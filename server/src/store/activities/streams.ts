import { compiledOnce } from '../engine/compiled-once.ts';
import type { Db, StreamRow } from '../schema.ts';
import { selectedTogether } from '../engine/selected-together.ts';
import { storedTogether } from '../engine/stored-together.ts';

export async function streamByKey(
	db: Db,
	accountId: string,
	streamKey: string,
): Promise<StreamRow | undefined> {
	return (await selectStream(db, { account_id: accountId, stream_key: streamKey }))[0];
}

const selectStream = selectedTogether<Pick<StreamRow, 'account_id' | 'stream_key'>, StreamRow>(
	(db, the) =>
		db
			.selectFrom('streams')
			.select([
				'account_id',
				'stream_key',
				'activity_id',
				'state_json',
				'actions_json',
				'tags_json',
				'channels_json',
				'paused_at',
				'updated_at',
			])
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

/** Stores the stream, replacing the stored one. */
export const saveStream = storedTogether<StreamRow>((db, rows) =>
	db
		.insertInto('streams')
		.values(
			rows.map((the) => ({
				account_id: the((stream) => stream.account_id),
				stream_key: the((stream) => stream.stream_key),
				activity_id: the((stream) => stream.activity_id),
				state_json: the((stream) => stream.state_json),
				actions_json: the((stream) => stream.actions_json),
				tags_json: the((stream) => stream.tags_json),
				channels_json: the((stream) => stream.channels_json),
				paused_at: the((stream) => stream.paused_at),
				updated_at: the((stream) => stream.updated_at),
			})),
		)
		.onConflict((conflict) =>
			conflict.columns(['account_id', 'stream_key']).doUpdateSet((eb) => ({
				activity_id: eb.ref('excluded.activity_id'),
				state_json: eb.ref('excluded.state_json'),
				actions_json: eb.ref('excluded.actions_json'),
				tags_json: eb.ref('excluded.tags_json'),
				channels_json: eb.ref('excluded.channels_json'),
				paused_at: eb.ref('excluded.paused_at'),
				updated_at: eb.ref('excluded.updated_at'),
			})),
		),
);

export async function deleteStream(db: Db, accountId: string, streamKey: string): Promise<void> {
	await deleteOne(db, { accountId, streamKey });
}

const deleteOne = compiledOnce<{ accountId: string; streamKey: string }, unknown>((db, the) =>
	db
		.deleteFrom('streams')
		.where(
			'account_id',
			'=',
			the(({ accountId }) => accountId),
		)
		.where(
			'stream_key',
			'=',
			the(({ streamKey }) => streamKey),
		),
);

/** Detaches the ended activity from its stream. */
export async function detachActivity(db: Db, activityId: string): Promise<void> {
	await detach(db, activityId);
}

const detach = compiledOnce<string, unknown>((db, the) =>
	db
		.updateTable('streams')
		.set({ activity_id: null })
		.where(
			'activity_id',
			'=',
			the((activityId) => activityId),
		),
);
