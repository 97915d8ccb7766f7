import { sql, type SqlBool } from 'kysely';
import type { DeliveryState } from '../../contract/delivery-states.ts';
import type { Db, MessageRow } from '../schema.ts';

/** A delivery of an entry, or a message that has none. */
export interface LifecycleCursor {
	message_id: number;
	device_id: string | null;
	id: number | null;
}

interface Part {
	/** undefined: from the newest. */
	before?: LifecycleCursor | undefined;
	limit: number;
}

/** The state of a delivery as people see it: of one that has not woken its phone, with the reason. */
const SHOWN_STATE = sql<DeliveryState | null>`
	case when deliveries.state <> 'stored' then deliveries.state
		when deliveries.muted <> 0 then 'muted'
		when deliveries.held <> 0 then 'held_back'
		else 'stored' end`;

/** The states of an entry's deliveries, newest first: a row for each, and one for a message without any. */
export function deliveryStates(db: Db, historyId: string, { before, limit }: Part) {
	const query = db
		.selectFrom('messages')
		.leftJoin('deliveries', 'deliveries.message_id', 'messages.id')
		.select(['messages.id as message_id', 'messages.kind'])
		.select(['deliveries.device_id', 'deliveries.id', 'deliveries.last_error'])
		.select(SHOWN_STATE.as('state'))
		.where('messages.history_id', '=', historyId)
		// As the indexes of both have them, so that no part sorts what comes after it.
		.orderBy('messages.id', 'desc')
		.orderBy('deliveries.device_id', 'desc')
		.orderBy('deliveries.id', 'desc')
		.limit(limit);
	if (!before) return query;
	const { message_id: message, device_id: device, id } = before;
	// The first condition is redundant, but an index can be used for it.
	return query
		.where('messages.id', '<=', message)
		.where(
			sql<SqlBool>`(messages.id, deliveries.device_id, deliveries.id) < (${message}, ${device}, ${id})`,
		);
}

/** The same with all that the console shows of the messages and their deliveries. */
export function lifecyclePart(db: Db, historyId: string, part: Part) {
	return deliveryStates(db, historyId, part)
		.leftJoin('devices', 'devices.id', 'deliveries.device_id')
		.select(['messages.content_json', 'messages.created_at', 'devices.name as device'])
		.select(['deliveries.attempts', 'deliveries.failures'])
		.select(['deliveries.muted', 'deliveries.held', 'deliveries.handed_over_at'])
		.select(['deliveries.acknowledged_at', 'deliveries.dismissed_at'])
		.execute();
}

interface Lifecycle {
	messages: number;
	/** Phones on which its Live Activity was started; 0 for anything else. */
	started: number;
	/** What was sent last, but for answers. */
	content_json: string | null;
}

/** An entry's messages as a whole. */
export async function summarizeLifecycle(db: Db, historyId: string): Promise<Lifecycle> {
	const { rows } = await sql<Lifecycle>`
		select (select count(*) from messages where history_id = ${historyId}) as messages,
			(select count(*) from activity_devices where activity_id = ${historyId}) as started,
			(select content_json from messages where history_id = ${historyId} and kind <> 'push_update'
				order by id desc limit 1) as content_json`.execute(db);
	return rows[0] ?? { messages: 0, started: 0, content_json: null };
}

/** The push of an entry, with its webhooks; undefined: it is of another kind. */
export async function pushOfEntry(db: Db, accountId: string, historyId: string) {
	const { rows } = await sql<Pick<MessageRow, 'content_json' | 'actions_json'>>`
		select content_json, actions_json from messages
		where history_id = ${historyId} and account_id = ${accountId} and kind = 'push'`.execute(db);
	return rows[0];
}
