import { type ExpressionBuilder, sql } from 'kysely';
import {
	compiledForRows,
	compiledOnce,
	idsInRowOrder,
	type Values,
} from '../engine/compiled-once.ts';
import { ROWS_PER_STATEMENT } from '../engine/rows-per-statement.ts';
import { insertStatement, selectStatement } from '../engine/json-rows.ts';
import { isAmong, isPostgres, listed, PENDING } from '../engine/dialect.ts';
import type { Message } from './messages.ts';
import type { Db, DeviceRow, MessageKind, Tables } from '../schema.ts';
import { selectedTogether } from '../engine/selected-together.ts';
import { together } from '../engine/together.ts';

/** The fields of a device that gateways need. */
export interface DeliveryDevice extends Pick<
	DeviceRow,
	| 'id'
	| 'platform'
	| 'push_token'
	| 'push_to_start_token'
	| 'push_environment'
	| 'push_subscription_json'
	| 'badge'
> {
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
	/** For a push_update: the delivery of the push to the device. */
	pushDeliveryId?: number | undefined;
}

/** Kinds of which a later message makes an earlier one pointless. */
const REPLACEABLE: ReadonlySet<MessageKind> = new Set(['activity_update', 'push_update', 'badge']);
const isReplaceable = (kind: MessageKind) => REPLACEABLE.has(kind);

export interface NewDeliveries {
	now: number;
	leaseMs: number;
	/** Devices that the message must not interrupt. */
	muted?: ReadonlySet<string>;
}

/** Up to this number of devices, a message's deliveries are stored together with those of other messages. */
const FEW_DEVICES = 10;

const NOBODY: ReadonlySet<string> = new Set();

/**
 * Stores one pending delivery of the message per device, leased to the caller for its first attempt.
 * Within a lane the newest wins: replaceable waiting deliveries are superseded. Those being attempted, or
 * not replaceable, go first.
 */
export async function insertDeliveries(
	db: Db,
	message: Message,
	devices: readonly DeliveryDevice[],
	{ now, leaseMs, muted = NOBODY }: NewDeliveries,
): Promise<OutgoingDelivery[]> {
	if (devices.length <= FEW_DEVICES && (await areLanesFree(db, message, devices)))
		return insertForFew(db, { message, devices, leasedUntil: now + leaseMs, muted });
	const outgoing: OutgoingDelivery[] = [];
	const byId = new Map(devices.map((device) => [device.id, device]));
	// In the order of the index by device, so rows on the same page are written together.
	const sorted = [...byId.keys()].sort();
	for (let at = 0; at < sorted.length; at += ROWS_PER_STATEMENT) {
		const ids = sorted.slice(at, at + ROWS_PER_STATEMENT);
		const lane =
			message.lane === null ? null : { lane: message.lane, deviceIdsJson: JSON.stringify(ids) };
		if (lane && message.kind !== 'activity_start')
			await supersede(db, { lane, messageId: message.id, now });
		const behind = lane ? (await waitingIn(db, lane)).map((row) => row.device_id) : [];
		const free = behind.length === 0 ? ids : ids.filter((id) => !behind.includes(id));
		for (const [some, leasedUntil] of [
			[free, now + leaseMs],
			[behind, null],
		] as const) {
			for (const row of await insertPending(db, message, some, { now, leasedUntil, muted })) {
				const device = byId.get(row.device_id);
				const isMuted = muted.has(row.device_id);
				if (device)
					outgoing.push({ id: row.id, attempts: 0, leasedUntil, message, device, isMuted });
			}
		}
	}
	return outgoing;
}

interface ForFew {
	message: Message;
	devices: readonly DeliveryDevice[];
	leasedUntil: number;
	muted: ReadonlySet<string>;
}

/** True if no delivery is waiting on the devices that the message would replace or follow. */
async function areLanesFree(
	db: Db,
	{ lane }: Message,
	devices: readonly DeliveryDevice[],
): Promise<boolean> {
	if (lane === null) return true;
	const deviceIdsJson = JSON.stringify(devices.map(({ id }) => id));
	return (await waitingIn(db, { lane, deviceIdsJson })).length === 0;
}

/** Stores deliveries of several messages whose lanes are free. */
const insertForFew = together<ForFew, OutgoingDelivery[]>(async (db, calls) => {
	const outgoing = calls.map(({ message, devices, leasedUntil, muted }) =>
		devices.map((device) => ({
			id: 0,
			attempts: 0,
			leasedUntil,
			message,
			device,
			isMuted: muted.has(device.id),
		})),
	);
	const rows = outgoing.flat();
	const ids = idsInRowOrder(await insertRows(db, rows), rows.length);
	for (const [index, id] of ids.entries()) if (rows[index]) rows[index].id = id;
	return outgoing;
});

type LeasedDelivery = OutgoingDelivery & { leasedUntil: number };

const insertRows = compiledForRows<LeasedDelivery, { id: number }>((db, rows) =>
	db
		.insertInto('deliveries')
		.values(
			rows.map((the) => ({
				message_id: the(({ message }) => message.id),
				device_id: the(({ device }) => device.id),
				state: 'pending' as const,
				attempts: 0,
				next_attempt_at: the(({ leasedUntil }) => leasedUntil),
				leased_until: the(({ leasedUntil }) => leasedUntil),
				lane: the(({ message }) => message.lane),
				replaceable: the(({ message }) => (isReplaceable(message.kind) ? 1 : 0)),
				muted: the(({ isMuted }) => (isMuted ? 1 : 0)),
			})),
		)
		.returning('id'),
);

/** Maximum rows of a statement: a JSON text of a few megabytes. */
const DELIVERIES_PER_STATEMENT = 20_000;

/**
 * Stores the deliveries of a set, and sets their ids.
 * @param overtaken those replaced by a later one of the set
 */
export async function insertOutgoing(
	db: Db,
	deliveries: readonly OutgoingDelivery[],
	overtaken: ReadonlySet<OutgoingDelivery>,
): Promise<void> {
	for (let at = 0; at < deliveries.length; at += DELIVERIES_PER_STATEMENT) {
		const some = deliveries.slice(at, at + DELIVERIES_PER_STATEMENT);
		const ids = await insertDeliveryRows(
			db,
			some.map((delivery) => {
				const { message, device, leasedUntil, isMuted } = delivery;
				return {
					message_id: message.id,
					device_id: device.id,
					state: overtaken.has(delivery) ? 'superseded' : 'pending',
					attempts: 0,
					next_attempt_at: leasedUntil ?? message.created_at,
					leased_until: leasedUntil,
					lane: message.lane,
					replaceable: isReplaceable(message.kind) ? 1 : 0,
					muted: isMuted ? 1 : 0,
				};
			}),
		);
		for (const [index, delivery] of some.entries()) delivery.id = ids[index] ?? 0;
	}
}

/** The columns of a new delivery. */
const NEW_DELIVERY = [
	'message_id',
	'device_id',
	'state',
	'attempts',
	'next_attempt_at',
	'leased_until',
	'lane',
	'replaceable',
	'muted',
] as const;

const insertDeliveryRows = insertStatement('deliveries', NEW_DELIVERY, { returning: 'id' });

/** A pending delivery of a lane. */
export interface InLane {
	id: number;
	device_id: string;
	lane: string;
	leased_until: number | null;
	replaceable: number;
}

/**
 * The pending deliveries of lanes on devices. PostgreSQL locks them: no attempt begins until the set is
 * stored.
 */
export const lockLanes = selectStatement<Pick<InLane, 'device_id' | 'lane'>, InLane>((db, json) => {
	const entries = isPostgres(db)
		? sql`json_array_elements(${json}::json)`
		: sql`json_each(${json})`;
	return sql<InLane>`
		select deliveries.id, deliveries.device_id, deliveries.lane, deliveries.leased_until,
			deliveries.replaceable
		from (select value->>'device_id' as device_id, value->>'lane' as lane from ${entries}) as asked
		cross join deliveries
		where deliveries.device_id = asked.device_id and deliveries.lane = asked.lane
			and deliveries.state = ${PENDING}
		order by deliveries.id ${isPostgres(db) ? sql`for update of deliveries` : sql``}`;
});

interface Pending {
	message: Message;
	deviceIdsJson: string;
	now: number;
	leasedUntil: number | null;
	isMuted: boolean;
}

async function insertPending(
	db: Db,
	message: Message,
	deviceIds: readonly string[],
	{
		now,
		leasedUntil,
		muted,
	}: { now: number; leasedUntil: number | null; muted: ReadonlySet<string> },
): Promise<Array<{ id: number; device_id: string }>> {
	const rows: Array<{ id: number; device_id: string }> = [];
	for (const isMuted of [false, true]) {
		const some = deviceIds.filter((id) => muted.has(id) === isMuted);
		if (some.length === 0) continue;
		const deviceIdsJson = JSON.stringify(some);
		rows.push(
			...(await insertPendingRows(db, { message, deviceIdsJson, now, leasedUntil, isMuted })),
		);
	}
	return rows;
}

const insertPendingRows = compiledOnce<Pending, { id: number; device_id: string }>((db, the) =>
	db
		.insertInto('deliveries')
		.columns(NEW_DELIVERY)
		.expression((eb) =>
			eb
				.selectFrom(
					listed<string>(
						db,
						the(({ deviceIdsJson }) => deviceIdsJson),
						'text',
					).as('device_ids'),
				)
				// PostgreSQL assumes text for an untyped parameter in a select.
				.select(({ cast, val }) => [
					cast<number>(val(the(({ message }) => message.id)), 'bigint').as('message_id'),
					'device_ids.value as device_id',
					cast<'pending'>(val('pending'), 'text').as('state'),
					cast<number>(val(0), 'integer').as('attempts'),
					cast<number>(val(the(({ leasedUntil, now }) => leasedUntil ?? now)), 'bigint').as(
						'next_attempt_at',
					),
					cast<number | null>(val(the(({ leasedUntil }) => leasedUntil)), 'bigint').as(
						'leased_until',
					),
					cast<string | null>(val(the(({ message }) => message.lane)), 'text').as('lane'),
					cast<number>(
						val(the(({ message }) => (isReplaceable(message.kind) ? 1 : 0))),
						'integer',
					).as('replaceable'),
					cast<number>(val(the(({ isMuted }) => (isMuted ? 1 : 0))), 'integer').as('muted'),
				]),
		)
		.returning(['id', 'device_id']),
);

interface Lane {
	lane: string;
	deviceIdsJson: string;
}

/** Condition: pending in the lane on any of the devices. */
function pendingIn<V>(db: Db, the: Values<V>, laneOf: (values: V) => Lane) {
	return (eb: ExpressionBuilder<Tables, 'deliveries'>) => {
		const json = the((values) => laneOf(values).deviceIdsJson);
		return eb.and([
			isAmong<string>(db, 'device_id', json, 'text'),
			eb(
				'lane',
				'=',
				the((values) => laneOf(values).lane),
			),
			eb('state', '=', PENDING),
		]);
	};
}

/**
 * Supersedes older deliveries only: a message that waited for its activity's token may arrive after newer
 * ones of its lane.
 */
const supersede = compiledOnce<{ lane: Lane; messageId: number; now: number }, object>((db, the) =>
	db
		.updateTable('deliveries')
		.set({ state: 'superseded' })
		.where(pendingIn(db, the, ({ lane }) => lane))
		.where(
			'message_id',
			'<',
			the(({ messageId }) => messageId),
		)
		.where('replaceable', '=', 1)
		.where((eb) =>
			eb.or([
				eb('leased_until', 'is', null),
				eb(
					'leased_until',
					'<=',
					the(({ now }) => now),
				),
			]),
		),
);

/** Devices that still have a pending delivery in the lane. */
const waitingIn = selectedTogether<Lane, { device_id: string }>((db, the) =>
	db
		.selectFrom('deliveries')
		.select('device_id')
		.distinct()
		.where(pendingIn(db, the, (lane) => lane)),
);
