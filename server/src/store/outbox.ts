import { ROWS_PER_STATEMENT } from './devices.ts';
import type { Db, DeviceRow, MessageKind, NewMessage } from './schema.ts';

export interface Message {
	id: number;
	account_id: string;
	activity_id: string | null;
	kind: MessageKind;
	content_json: string;
	created_at: number;
}

/** A delivery with all that a gateway needs to carry it out. */
export interface OutgoingDelivery {
	id: number;
	attempts: number;
	message: Message;
	device: Pick<DeviceRow, 'id' | 'platform' | 'push_token' | 'push_to_start_token'>;
}

export async function insertMessage(db: Db, message: NewMessage): Promise<Message> {
	const { id } = await db
		.insertInto('messages')
		.values(message)
		.returning('id')
		.executeTakeFirstOrThrow();
	return {
		id,
		account_id: message.account_id,
		activity_id: message.activity_id ?? null,
		kind: message.kind,
		content_json: message.content_json,
		created_at: message.created_at,
	};
}

/**
 * One pending delivery of the message for each device.
 * @param nextAttemptAt when the outbox worker takes them up, should the caller not have delivered them by then
 */
export async function insertDeliveries(
	db: Db,
	message: Message,
	devices: ReadonlyArray<OutgoingDelivery['device']>,
	nextAttemptAt: number,
): Promise<OutgoingDelivery[]> {
	const outgoing: OutgoingDelivery[] = [];
	for (let at = 0; at < devices.length; at += ROWS_PER_STATEMENT) {
		const group = devices.slice(at, at + ROWS_PER_STATEMENT);
		const rows = await db
			.insertInto('deliveries')
			.values(
				group.map((device) => ({
					message_id: message.id,
					device_id: device.id,
					state: 'pending' as const,
					attempts: 0,
					next_attempt_at: nextAttemptAt,
				})),
			)
			.returning(['id', 'device_id'])
			.execute();
		const byId = new Map(group.map((device) => [device.id, device]));
		for (const row of rows) {
			const device = byId.get(row.device_id);
			if (device) outgoing.push({ id: row.id, attempts: 0, message, device });
		}
	}
	return outgoing;
}

function outgoing(db: Db) {
	return db
		.selectFrom('deliveries')
		.innerJoin('messages', 'messages.id', 'deliveries.message_id')
		.innerJoin('devices', 'devices.id', 'deliveries.device_id')
		.select([
			'deliveries.id as delivery_id',
			'deliveries.attempts',
			'messages.id as message_id',
			'messages.account_id',
			'messages.activity_id',
			'messages.kind',
			'messages.content_json',
			'messages.created_at',
			'devices.id as device_id',
			'devices.platform',
			'devices.push_token',
			'devices.push_to_start_token',
		]);
}

/** Pending deliveries whose time has come, oldest first. */
export async function dueDeliveries(
	db: Db,
	now: number,
	limit: number,
): Promise<OutgoingDelivery[]> {
	const rows = await outgoing(db)
		.where('deliveries.state', '=', 'pending')
		.where('deliveries.next_attempt_at', '<=', now)
		.orderBy('deliveries.id')
		.limit(limit)
		.execute();
	return rows.map((row) => ({
		id: row.delivery_id,
		attempts: row.attempts,
		message: {
			id: row.message_id,
			account_id: row.account_id,
			activity_id: row.activity_id,
			kind: row.kind,
			content_json: row.content_json,
			created_at: row.created_at,
		},
		device: {
			id: row.device_id,
			platform: row.platform,
			push_token: row.push_token,
			push_to_start_token: row.push_to_start_token,
		},
	}));
}

/** When the next pending delivery is due; undefined when nothing is pending. */
export async function nextDueAt(db: Db): Promise<number | undefined> {
	const row = await db
		.selectFrom('deliveries')
		.select('next_attempt_at')
		.where('state', '=', 'pending')
		.orderBy('next_attempt_at')
		.limit(1)
		.executeTakeFirst();
	return row?.next_attempt_at;
}

export async function markDelivered(db: Db, ids: readonly number[], now: number): Promise<void> {
	for (let at = 0; at < ids.length; at += ROWS_PER_STATEMENT) {
		await db
			.updateTable('deliveries')
			.set({ state: 'delivered', delivered_at: now, last_error: null })
			.where('id', 'in', ids.slice(at, at + ROWS_PER_STATEMENT))
			.execute();
	}
}

export async function markForRetry(
	db: Db,
	id: number,
	retry: { attempts: number; nextAttemptAt: number; reason: string },
): Promise<void> {
	await db
		.updateTable('deliveries')
		.set({
			attempts: retry.attempts,
			next_attempt_at: retry.nextAttemptAt,
			last_error: retry.reason,
		})
		.where('id', '=', id)
		.where('state', '=', 'pending')
		.execute();
}

export async function markFailed(db: Db, id: number, reason: string): Promise<void> {
	await db
		.updateTable('deliveries')
		.set({ state: 'failed', last_error: reason })
		.where('id', '=', id)
		.where('state', '=', 'pending')
		.execute();
}

export function messageById(db: Db, id: number): Promise<Message | undefined> {
	return db
		.selectFrom('messages')
		.select(['id', 'account_id', 'activity_id', 'kind', 'content_json', 'created_at'])
		.where('id', '=', id)
		.executeTakeFirst();
}
