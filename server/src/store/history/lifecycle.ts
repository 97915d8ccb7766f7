import { sql, type SqlBool } from 'kysely';
import type { Db } from '../schema.ts';

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

/** The states of an entry's deliveries, newest first: a row for each, and one for a message without any. */
export function deliveryStates(db: Db, historyId: string, { before, limit }: Part) {
	const query = db
		.selectFrom('messages')
		.leftJoin('deliveries', 'deliveries.message_id', 'messages.id')
		.select(['messages.id as message_id', 'messages.kind'])
		.select(['deliveries.device_id', 'deliveries.id', 'deliveries.state'])
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
		.select(['deliveries.attempts', 'deliveries.last_error', 'deliveries.held'])
		.select(['deliveries.handed_over_at', 'deliveries.acknowledged_at'])
		.execute();
}

/** How many messages an entry has, and on how many phones its Live Activity was started: 0 for anything else. */
export async function countLifecycle(
	db: Db,
	historyId: string,
): Promise<{ messages: number; started: number }> {
	const { rows } = await sql<{ messages: number; started: number }>`
		select (select count(*) from messages where history_id = ${historyId}) as messages,
			(select count(*) from activity_devices where activity_id = ${historyId}) as started`.execute(db);
	return rows[0] ?? { messages: 0, started: 0 };
}
