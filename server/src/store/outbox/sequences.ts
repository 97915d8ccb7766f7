import { insertStatement } from '../engine/json-rows.ts';
import { isAmong } from '../engine/statement.ts';
import { columnsOf, type Db, type MessageRow } from '../schema.ts';

/** The messages that the sequences show. */
export async function messagesOfSequences(
	db: Db,
	hashes: readonly string[],
): Promise<Array<Pick<MessageRow, 'id' | 'account_id' | 'history_id' | 'content_json'>>> {
	return db
		.selectFrom('push_sequences')
		.innerJoin('messages', 'messages.id', 'push_sequences.message_id')
		.select(['messages.id', 'account_id', 'history_id', 'content_json'])
		.where(isAmong(db, 'hash', hashes))
		.execute();
}

/** Each sequence once. */
export const saveSequences = insertStatement('push_sequences', columnsOf('push_sequences'), {
	replace: { key: ['hash'] },
});
