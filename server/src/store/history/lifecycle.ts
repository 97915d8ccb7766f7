import { sql } from 'kysely';
import type { Db, DeliveryRow, MessageRow } from '../schema.ts';

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

/** Messages of an entry with their deliveries, newest first: a row per delivery, or one without any. */
function newestFirst(db: Db, historyId: string, { before, limit }: Part) {
	let query = db
		.selectFrom('messages')
		.leftJoin('deliveries', 'deliveries.message_id', 'messages.id')
		.where('messages.history_id', '=', historyId)
		// As the indexes of both have them, so that no part sorts what comes after it.
		.orderBy('messages.id', 'desc')
		.orderBy('deliveries.device_id', 'desc')
		.orderBy('deliveries.id', 'desc')
		.limit(limit);
	if (before) {
		const { message_id: message, device_id: device, id } = before;
		query = query
			.where('messages.id', '<=', message)
			.where(({ eb, or, and }) =>
				or([
					eb('messages.id', '<', message),
					eb('deliveries.device_id', '<', device),
					and([eb('deliveries.device_id', '=', device), eb('deliveries.id', '<', id)]),
				]),
			);
	}
	return query;
}

/** The states of an entry's deliveries, newest first. */
export function deliveryStates(db: Db, historyId: string, part: Part) {
	return newestFirst(db, historyId, part)
		.select(['messages.id as message_id', 'messages.kind'])
		.select(['deliveries.device_id', 'deliveries.id', 'deliveries.state'])
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

type LifecycleRow = Pick<MessageRow, 'id' | 'kind' | 'content_json' | 'created_at'> & {
	deliveries: Array<
		{ device: string } & Pick<
			DeliveryRow,
			'state' | 'attempts' | 'last_error' | 'handed_over_at' | 'acknowledged_at' | 'held'
		>
	>;
};

/**
 * Part of the life of an entry: its messages with their deliveries, oldest first.
 * @returns also where the part before it ends; undefined: it is the first
 */
export async function lifecyclePart(
	db: Db,
	historyId: string,
	{ before, limit }: Part,
): Promise<{ messages: LifecycleRow[]; earlier: LifecycleCursor | undefined }> {
	const found = await newestFirst(db, historyId, { before, limit: limit + 1 })
		.leftJoin('devices', 'devices.id', 'deliveries.device_id')
		.select(['messages.id as message_id', 'messages.kind'])
		.select(['messages.content_json', 'messages.created_at', 'devices.name as device'])
		.select(['deliveries.device_id', 'deliveries.id', 'deliveries.state', 'deliveries.attempts'])
		.select(['deliveries.last_error', 'deliveries.handed_over_at'])
		.select(['deliveries.acknowledged_at', 'deliveries.held'])
		.execute();
	const shown = found.slice(0, limit).reverse();
	const messages: LifecycleRow[] = [];
	for (const { message_id: id, kind, content_json, created_at, ...delivery } of shown) {
		if (messages.at(-1)?.id !== id)
			messages.push({ id, kind, content_json, created_at, deliveries: [] });
		if (delivery.id !== null)
			messages.at(-1)?.deliveries.push(delivery as LifecycleRow['deliveries'][number]);
	}
	return { messages, earlier: found.length > limit ? shown[0] : undefined };
}
