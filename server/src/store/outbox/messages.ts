import { insertStatement } from '../engine/json-rows.ts';
import type { Db, MessageRow } from '../schema.ts';

/** A message without the part that stays on the server. */
export type Message = Omit<MessageRow, 'actions_json'>;

/** True for a message about a Live Activity, which an iPhone receives at the activity's token. */
export function isOfActivity({ kind }: Pick<Message, 'kind'>): boolean {
	return kind.startsWith('activity_');
}

export const MESSAGE_COLUMNS = [
	'messages.id',
	'messages.account_id',
	'messages.history_id',
	'messages.kind',
	'messages.content_json',
	'messages.lane',
	'messages.created_at',
] as const;

/** Stores messages of several accounts. @returns their ids, in the order of the messages */
export const insertMessages = insertStatement(
	'messages',
	['account_id', 'history_id', 'kind', 'content_json', 'actions_json', 'lane', 'created_at'],
	{ returning: 'id' },
);

export function messageById(db: Db, id: number): Promise<Message | undefined> {
	return db.selectFrom('messages').select(MESSAGE_COLUMNS).where('id', '=', id).executeTakeFirst();
}
