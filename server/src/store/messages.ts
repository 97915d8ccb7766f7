import { compiledOnce } from './compiled-once.ts';
import type { Db, MessageKind, NewMessage } from './schema.ts';

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

export async function insertMessage(db: Db, message: NewMessage): Promise<Message> {
	const [row] = await insertMessageRow(db, message);
	if (!row) throw new Error('The store gave the message no id');
	return {
		id: row.id,
		account_id: message.account_id,
		activity_id: message.activity_id ?? null,
		kind: message.kind,
		content_json: message.content_json,
		lane: message.lane ?? null,
		created_at: message.created_at,
	};
}

const insertMessageRow = compiledOnce<NewMessage, { id: number }>((db, the) =>
	db
		.insertInto('messages')
		.values({
			account_id: the((message) => message.account_id),
			history_id: the((message) => message.history_id),
			activity_id: the((message) => message.activity_id ?? null),
			kind: the(({ kind }) => kind),
			content_json: the((message) => message.content_json),
			actions_json: the((message) => message.actions_json ?? null),
			lane: the(({ lane }) => lane ?? null),
			created_at: the((message) => message.created_at),
		})
		.returning('id'),
);

export function messageById(db: Db, id: number): Promise<Message | undefined> {
	return db.selectFrom('messages').select(MESSAGE_COLUMNS).where('id', '=', id).executeTakeFirst();
}
