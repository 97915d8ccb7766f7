import { insertStatement } from '../engine/json-rows.ts';
import type { Db, MessageKind } from '../schema.ts';

export interface Message {
	id: number;
	account_id: string;
	activity_id: string | null;
	kind: MessageKind;
	content_json: string;
	lane: string | null;
	created_at: number;
}

export const MESSAGE_COLUMNS = [
	'messages.id',
	'messages.account_id',
	'messages.activity_id',
	'messages.kind',
	'messages.content_json',
	'messages.lane',
	'messages.created_at',
] as const;

/** Stores messages of several accounts. @returns their ids, in the order of the messages */
export const insertMessages = insertStatement(
	'messages',
	[
		'account_id',
		'history_id',
		'activity_id',
		'kind',
		'content_json',
		'actions_json',
		'lane',
		'created_at',
	],
	{ returning: 'id' },
);

export function messageById(db: Db, id: number): Promise<Message | undefined> {
	return db.selectFrom('messages').select(MESSAGE_COLUMNS).where('id', '=', id).executeTakeFirst();
}
