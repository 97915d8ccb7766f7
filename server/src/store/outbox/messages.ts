import { updateBy } from '../engine/by-key.ts';
import { columnsOf, type Db, type MessageRow } from '../schema.ts';
import { insertStatement } from '../engine/json-rows.ts';
import { dueRows } from '../due.ts';
import { isAmong } from '../engine/statement.ts';

/** A message without the part that stays on the server. */
export type Message = Omit<MessageRow, 'actions_json'>;

/** True for a message about a Live Activity, which an iPhone receives at the activity's token. */
export function isOfActivity({ kind }: Pick<Message, 'kind'>): boolean {
	return kind.startsWith('activity_');
}

export const MESSAGE_COLUMNS = columnsOf('messages', 'actions_json').map(
	(column) => `messages.${column}` as const,
);

/** Stores messages of several accounts. @returns their ids, in the order of the messages */
export const insertMessages = insertStatement('messages', columnsOf('messages', 'id'), {
	returning: 'id',
});

export function messageById(db: Db, id: number) {
	return db.selectFrom('messages').select(MESSAGE_COLUMNS).where('id', '=', id).executeTakeFirst();
}

/** The messages that the sequences show. */
export async function messagesOfSequences(db: Db, hashes: readonly string[]) {
	return db
		.selectFrom('push_sequences')
		.innerJoin('messages', 'messages.id', 'push_sequences.message_id')
		.select(['messages.id', 'account_id', 'history_id', 'content_json'])
		.where(isAmong(db, 'hash', hashes))
		.execute();
}

/** Replaces earlier rows; no two of the given rows may have the same hash. */
export const saveSequences = insertStatement('push_sequences', columnsOf('push_sequences'), {
	replace: { key: ['hash'] },
});

/** Messages whose time is over. */
export const dueExpiries = dueRows('messages', { key: ['id'], at: 'expires_at' });

export async function forgetExpiries(db: Db, ids: readonly number[]) {
	await db.updateTable('messages').set({ expires_at: null }).where('id', 'in', ids).execute();
}

/** A changed content appears in future snapshots, in the inbox and in the history. */
export const updateMessage = updateBy('messages', 'id');
