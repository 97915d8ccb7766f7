import { compiledForRows, idsInRowOrder } from '../engine/compiled-once.ts';
import { insertStatement } from '../engine/json-rows.ts';
import type { Db, MessageKind, NewMessage } from '../schema.ts';
import { together } from '../engine/together.ts';

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

export const insertMessage = together<NewMessage, Message>(async (db, messages) => {
	const ids = idsInRowOrder(await insertMessages(db, messages), messages.length);
	return messages.map((message, index) => ({
		id: ids[index] as number,
		account_id: message.account_id,
		activity_id: message.activity_id ?? null,
		kind: message.kind,
		content_json: message.content_json,
		lane: message.lane ?? null,
		created_at: message.created_at,
	}));
});

const insertMessages = compiledForRows<NewMessage, { id: number }>((db, rows) =>
	db
		.insertInto('messages')
		.values(
			rows.map((the) => ({
				account_id: the((message) => message.account_id),
				history_id: the((message) => message.history_id),
				activity_id: the((message) => message.activity_id ?? null),
				kind: the(({ kind }) => kind),
				content_json: the((message) => message.content_json),
				actions_json: the((message) => message.actions_json ?? null),
				lane: the(({ lane }) => lane ?? null),
				created_at: the((message) => message.created_at),
			})),
		)
		.returning('id'),
);

/** Stores messages of several accounts. @returns their ids, in the order of the messages */
export const insertMessageRows = insertStatement(
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
