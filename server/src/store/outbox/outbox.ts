import { type ExpressionBuilder, sql } from 'kysely';
import { compiledForRows, compiledOnce, grownIds, type Values } from '../engine/compiled-once.ts';
import { ROWS_PER_STATEMENT } from '../engine/rows-per-statement.ts';
import { insertStatement, selectStatement } from '../engine/json-rows.ts';
import { isAmong, isPostgres, listed, PENDING } from '../engine/dialect.ts';
import type { Message } from './messages.ts';
import type { Db, DeviceRow, MessageKind, Tables } from '../schema.ts';
import { selectedTogether } from '../engine/selected-together.ts';
import { together } from '../engine/together.ts';

/** What gateways need to know of a device. */
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
	/** The token of the message's activity on this device, where it has one. */
	token?: string | null;
}

/** A delivery with all that a gateway needs to carry it out. */
export interface OutgoingDelivery {
	id: number;
	attempts: number;
	/**
	 * Until then nobody else attempts it. null: an earlier delivery of its lane goes first, and the
	 * worker takes this one up after it.
	 */
	leasedUntil: number | null;
	message: Message;
	/** As it is now: its badge may be newer than the message's. */
	device: DeliveryDevice;
	/** It came by channels that the device has muted, and must not interrupt. */
	isMuted: boolean;
	/** Of a push_update: the delivery that brought the push to the device. */
	pushDeliveryId?: number | undefined;
}

/** A later one makes an earlier one pointless. */
const REPLACEABLE: ReadonlySet<MessageKind> = new Set(['activity_update', 'push_update', 'badge']);
const isReplaceable = (kind: MessageKind) => REPLACEABLE.has(kind);

export interface NewDeliveries {
	now: number;
	leaseMs: number;
	/** Devices that the message must not interrupt. */
	muted?: ReadonlySet<string>;
}

/** Up to so many devices of a message have their deliveries stored together with those of other messages. */
const FEW_DEVICES = 10;

const NOBODY: ReadonlySet<string> = new Set();

/**
 * One pending delivery of the message for each device, leased to the caller for its first attempt.
 * Within a lane the newest wins: what waits there and may be replaced is superseded. What is being
 * attempted just now, or may not be replaced, goes first.
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
	// In the order of the index by device, so that what lies on one page of it is written together.
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

/** Whether nothing waits on any of the devices that the message would replace or come after. */
async function areLanesFree(
	db: Db,
	{ lane }: Message,
	devices: readonly DeliveryDevice[],
): Promise<boolean> {
	if (lane === null) return true;
	const deviceIdsJson = JSON.stringify(devices.map(({ id }) => id));
	return (await waitingIn(db, { lane, deviceIdsJson })).length === 0;
}

/** Deliveries whose lanes are free, of several messages at a time. */
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
	const ids = grownIds(await insertRows(db, rows), rows.length);
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

/** Rows of a statement at most: a JSON text of some megabytes. */
const DELIVERIES_PER_STATEMENT = 20_000;

/**
 * Stores the deliveries of a set, and gives them their ids.
 * @param overtaken those that a later one of the set replaces
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

const insertDeliveryRows = insertStatement(
	'deliveries',
	[
		'message_id',
		'device_id',
		'state',
		'attempts',
		'next_attempt_at',
		'leased_until',
		'lane',
		'replaceable',
		'muted',
	],
	{ returning: 'id' },
);

/** A pending delivery of a lane. */
export interface InLane {
	id: number;
	device_id: string;
	lane: string;
	leased_until: number | null;
	replaceable: number;
}

/** What is pending in lanes of devices. PostgreSQL locks it: until the set is stored, nobody begins to attempt it. */
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
		.columns([
			'message_id',
			'device_id',
			'state',
			'attempts',
			'next_attempt_at',
			'leased_until',
			'lane',
			'replaceable',
			'muted',
		])
		.expression((eb) =>
			eb
				.selectFrom(
					listed<string>(
						db,
						the(({ deviceIdsJson }) => deviceIdsJson),
						'text',
					).as('device_ids'),
				)
				// PostgreSQL takes an untyped parameter of a select for text.
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

/** What is pending in the lane on any of the devices. */
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

/** An older message may come after newer ones of its lane: it waited for the token of its activity. */
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
