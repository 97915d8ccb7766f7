import { sql } from 'kysely';
import { isPostgres, PENDING } from '../engine/statement.ts';
import { idsInRowOrder, insertStatement, rowsStatement } from '../engine/json-rows.ts';
import type { DELIVERY_COLUMNS } from '../phones/device-audience.ts';
import type { Message } from './messages.ts';
import type { Db, DeliveryRow, DeviceRow, MessageKind } from '../schema.ts';

/** The fields of a device that gateways need. */
export interface DeliveryDevice extends Pick<DeviceRow, 'id' | (typeof DELIVERY_COLUMNS)[number]> {
	/** The token of the message's activity on this device, if any. */
	token?: string | null;
}

/** A delivery with everything a gateway needs. */
export interface OutgoingDelivery {
	id: number;
	attempts: number;
	/**
	 * No other worker attempts it before this time. null: an earlier delivery of its lane goes first, and
	 * the worker picks this one up afterwards.
	 */
	leasedUntil: number | null;
	message: Message;
	/** In its current state: its badge may be newer than the message's. */
	device: DeliveryDevice;
	/** True if it was sent through channels muted by the device, and must not interrupt. */
	isMuted: boolean;
	/** True if it must not interrupt because the device is quiet, or for another reason in HELD. */
	isHeld: boolean;
	/** True if a Live Activity interrupts in its place. */
	isOnActivity?: boolean;
	/** End of the quiet time, when a summary follows. */
	heldUntil?: number | undefined;
	/** For a push_update: the delivery of the push to the device. */
	pushDeliveryId?: number | undefined;
}

/** Kinds whose later messages make earlier ones obsolete. */
const REPLACEABLE: ReadonlySet<MessageKind> = new Set(['activity_update', 'push_update', 'badge']);

export function isReplaceable({ kind }: Message): boolean {
	return REPLACEABLE.has(kind);
}

/** Maximum rows of a statement: a JSON text of a few megabytes. */
const DELIVERIES_PER_STATEMENT = 20_000;

/**
 * Stores the deliveries of a set, and sets their ids.
 * @param overtaken those replaced by a later delivery of the set
 */
export async function insertDeliveries(
	db: Db,
	deliveries: readonly OutgoingDelivery[],
	overtaken: ReadonlySet<OutgoingDelivery>,
) {
	// The deliveries of a device next to each other, in their order: ten pushes to 10,000 devices then change each page of
	// an index by device once, not ten times.
	const sorted = [...Map.groupBy(deliveries, ({ device }) => device.id).values()].flat();
	for (let at = 0; at < sorted.length; at += DELIVERIES_PER_STATEMENT) {
		const batch = sorted.slice(at, at + DELIVERIES_PER_STATEMENT);
		const rows = batch.map((delivery) => {
			const { message, device, leasedUntil, isMuted } = delivery;
			return {
				message_id: message.id,
				device_id: device.id,
				state: overtaken.has(delivery) ? ('superseded' as const) : ('pending' as const),
				next_attempt_at: leasedUntil ?? message.created_at,
				leased_until: leasedUntil,
				lane: message.lane,
				replaceable: isReplaceable(message) ? 1 : 0,
				muted: isMuted ? 1 : 0,
				held: heldColumn(delivery),
			};
		});
		const ids = await (isPostgres(db) ? insertAlike(db, rows) : insertEach(db, rows));
		for (const [index, delivery] of batch.entries()) delivery.id = ids[index] ?? 0;
	}
}

/** Values of the column `held`: why a delivery must not interrupt, though its channels are not muted. */
export const HELD = {
	/** It can interrupt. */
	no: 0,
	/** The device was quiet; a summary follows when the quiet time is over. */
	untilQuietEnds: 1,
	/** Its level is below the device's minimum; no summary names it. */
	belowMinimumLevel: 2,
	/** A question that a Live Activity shows, which has the sound. */
	onActivity: 3,
} as const;

export function heldColumn({ isHeld, heldUntil, isOnActivity }: OutgoingDelivery): number {
	if (!isHeld) return HELD.no;
	if (isOnActivity) return HELD.onActivity;
	return heldUntil === undefined ? HELD.belowMinimumLevel : HELD.untilQuietEnds;
}

/**
 * The time at which a push service last accepted a delivery to the phone about the same history entry.
 * @param since creation of the oldest message to look at
 */
export async function lastHandedOver(
	db: Db,
	{ device, message }: Pick<OutgoingDelivery, 'device' | 'message'>,
	since: number,
) {
	const { last } = await db
		.selectFrom('messages')
		.innerJoin('deliveries', 'deliveries.message_id', 'messages.id')
		.select(({ fn }) => fn.max('deliveries.handed_over_at').as('last'))
		.where('messages.history_id', '=', message.history_id)
		.where('messages.created_at', '>=', since)
		.where('deliveries.device_id', '=', device.id)
		.executeTakeFirstOrThrow();
	return last;
}

/** What deliveries of a message have in common. */
const COMMON = [
	'message_id',
	'state',
	'next_attempt_at',
	'leased_until',
	'lane',
	'replaceable',
	'muted',
	'held',
] as const;

type NewRow = Pick<DeliveryRow, 'device_id' | (typeof COMMON)[number]>;

const insertEach = insertStatement('deliveries', [...COMMON, 'device_id'], { returning: 'id' });

/** Each row is for many devices; its `device_id` is their JSON array. */
const insertForDevices = rowsStatement(
	'deliveries',
	[...COMMON, 'device_id'],
	(_db, rows) => sql<{ id: number }>`
		insert into deliveries (device_id, ${sql.join(COMMON.map((column) => sql.ref(column)))})
		select device.value, ${sql.join(COMMON.map((column) => sql.ref(`alike.${column}`)))}
		from (${rows}) as alike cross join json_array_elements_text(alike.device_id::json) as device
		returning id`,
);

/**
 * Sends values shared by consecutive rows only once: reading them for each row would take PostgreSQL a sixth of the
 * insert's time. SQLite reads a row faster than a list in a row.
 * @returns the ids, in the order of the rows
 */
async function insertAlike(db: Db, rows: readonly NewRow[]) {
	const alike: Array<{ row: NewRow; ids: string[] }> = [];
	for (const row of rows) {
		const last = alike.at(-1);
		if (last && COMMON.every((column) => row[column] === last.row[column]))
			last.ids.push(row.device_id);
		else alike.push({ row, ids: [row.device_id] });
	}
	const lists = alike.map(({ row, ids }) => ({ ...row, device_id: JSON.stringify(ids) }));
	return idsInRowOrder(await insertForDevices(db, lists), rows.length);
}

/** A pending delivery of a lane. */
export interface InLane extends Pick<
	DeliveryRow,
	'id' | 'message_id' | 'device_id' | 'leased_until' | 'replaceable'
> {
	lane: string;
}

/**
 * The pending deliveries of lanes on devices. PostgreSQL locks them: no attempt begins until the set is
 * stored.
 */
export const lockLanes = rowsStatement(
	'deliveries',
	['device_id', 'lane'],
	(db, rows) => sql<InLane>`
		select deliveries.id, deliveries.message_id, deliveries.device_id, deliveries.lane,
			deliveries.leased_until, deliveries.replaceable
		from (${rows}) as asked
		cross join deliveries
		where deliveries.device_id = asked.device_id and deliveries.lane = asked.lane
			and deliveries.state = ${PENDING}
		order by deliveries.id ${isPostgres(db) ? sql`for update of deliveries` : sql``}`,
);

/** Ids are counted from here, in milliseconds, to keep them short. */
const EPOCH = Date.UTC(2026, 0, 1);

/**
 * Moves the next delivery's id up to the current time, in milliseconds since 2026. A phone drops ids it has
 * seen, and a restored backup does not know those assigned since it was created. They are below that time unless
 * a server constantly makes more than 1,000 deliveries a second.
 * @param now milliseconds since 1970
 */
export async function skipAssignedIds(db: Db, now: number) {
	const floor = now - EPOCH;
	if (isPostgres(db)) {
		// Another server that inserts meanwhile could move the sequence past the floor before it is set.
		await sql`lock table deliveries in exclusive mode`.execute(db);
		const sequence = sql`pg_get_serial_sequence('deliveries', 'id')::regclass`;
		await sql`
			select setval(${sequence}, ${floor})
			where coalesce(pg_sequence_last_value(${sequence}), 0) < ${floor}`.execute(db);
		return;
	}
	await sql`
		insert into sqlite_sequence (name, seq)
		select 'deliveries', 0 where not exists (select 1 from sqlite_sequence where name = 'deliveries')
	`.execute(db);
	await sql`
		update sqlite_sequence set seq = ${floor} where name = 'deliveries' and seq < ${floor}
	`.execute(db);
}
