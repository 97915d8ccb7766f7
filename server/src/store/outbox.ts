import type { ExpressionBuilder } from 'kysely';
import { compiledOnce, type Values } from './compiled-once.ts';
import { ROWS_PER_STATEMENT } from './devices.ts';
import { entriesOf, listed, PENDING } from './dialect.ts';
import type { Db, DeviceRow, MessageKind, NewMessage, Tables } from './schema.ts';

export interface Message {
	id: number;
	account_id: string;
	activity_id: string | null;
	kind: MessageKind;
	content_json: string;
	lane: string | null;
	created_at: number;
}

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

/** A later update or badge makes an earlier one pointless. */
const isReplaceable = (kind: MessageKind) => kind === 'activity_update' || kind === 'badge';

export interface NewDeliveries {
	now: number;
	leaseMs: number;
	/** Devices that the message must not interrupt. */
	muted?: ReadonlySet<string>;
}

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
			eb('device_id', 'in', entriesOf<string>(db, json, 'text')),
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
const waitingIn = compiledOnce<Lane, { device_id: string }>((db, the) =>
	db
		.selectFrom('deliveries')
		.select('device_id')
		.distinct()
		.where(pendingIn(db, the, (lane) => lane)),
);

export async function markDelivered(db: Db, ids: readonly number[], now: number): Promise<void> {
	if (ids.length > 0) await setDelivered(db, { idsJson: JSON.stringify(ids), now });
}

const setDelivered = compiledOnce<{ idsJson: string; now: number }, object>((db, the) =>
	db
		.updateTable('deliveries')
		.set({
			state: 'delivered',
			delivered_at: the(({ now }) => now),
			last_error: null,
			leased_until: null,
		})
		.where(
			'id',
			'in',
			entriesOf<number>(
				db,
				the(({ idsJson }) => idsJson),
				'bigint',
			),
		),
);

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
			leased_until: null,
		})
		.where('id', '=', id)
		.where('state', '=', PENDING)
		.execute();
	await supersedeReplaced(db, id);
}

/** A newer message that was stored during the attempt has taken this one's place. */
async function supersedeReplaced(db: Db, id: number): Promise<void> {
	await db
		.updateTable('deliveries')
		.set({ state: 'superseded' })
		.where('id', '=', id)
		.where('state', '=', PENDING)
		.where('replaceable', '=', 1)
		.where(({ exists, selectFrom }) =>
			exists(
				selectFrom('deliveries as newer')
					.select('newer.id')
					.whereRef('newer.device_id', '=', 'deliveries.device_id')
					.whereRef('newer.lane', '=', 'deliveries.lane')
					.whereRef('newer.message_id', '>', 'deliveries.message_id')
					.where('newer.state', '=', PENDING),
			),
		)
		.execute();
}

/** Gives leased deliveries back that nobody has attempted. */
export async function release(db: Db, ids: readonly number[], now: number): Promise<void> {
	if (ids.length === 0) return;
	await db
		.updateTable('deliveries')
		.set({ next_attempt_at: now, leased_until: null })
		.where('id', 'in', entriesOf<number>(db, JSON.stringify(ids), 'bigint'))
		.where('state', '=', PENDING)
		.execute();
}

/** The message goes to the device in a later delivery. */
export async function markSuperseded(db: Db, id: number, reason: string): Promise<void> {
	await db
		.updateTable('deliveries')
		.set({ state: 'superseded', last_error: reason, leased_until: null })
		.where('id', '=', id)
		.where('state', '=', PENDING)
		.execute();
}

export async function markFailed(db: Db, id: number, reason: string): Promise<void> {
	await db
		.updateTable('deliveries')
		.set({ state: 'failed', last_error: reason, leased_until: null })
		.where('id', '=', id)
		.where('state', '=', PENDING)
		.execute();
}

export function messageById(db: Db, id: number): Promise<Message | undefined> {
	return db.selectFrom('messages').select(MESSAGE_COLUMNS).where('id', '=', id).executeTakeFirst();
}
