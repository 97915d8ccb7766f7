import { updateBy } from '../engine/by-key.ts';
import {
	type AliasableExpression,
	type ExpressionBuilder,
	type RawBuilder,
	sql,
	type SqlBool,
} from 'kysely';
import { NOT_DELIVERED } from '../../contract/delivery-states.ts';
import type { DeviceHistoryQuery } from '../../contract/device.ts';
import { rowsStatement } from '../engine/json-rows.ts';
import { statement } from '../engine/statement.ts';
import { messageMatches } from '../history/search.ts';
import type { Db, DeliveryRow, MessageRow, Tables } from '../schema.ts';

export type InboxEntry = Pick<DeliveryRow, 'id' | 'muted' | 'held' | 'push_delivery_id'> &
	Pick<MessageRow, 'kind' | 'content_json' | 'created_at'>;

export const INBOX_COLUMNS = [
	'deliveries.id',
	'deliveries.muted',
	'deliveries.held',
	'deliveries.push_delivery_id',
	'messages.kind',
	'messages.content_json',
	'messages.created_at',
] as const;

function entries(db: Db, deviceId: string) {
	return db
		.selectFrom('deliveries')
		.innerJoin('messages', 'messages.id', 'deliveries.message_id')
		.select(INBOX_COLUMNS)
		.where('deliveries.device_id', '=', deviceId)
		.where('deliveries.state', 'not in', NOT_DELIVERED);
}

/** Conditions of the indexes deliveries_shown and deliveries_not_shown; each delivery meets one. */
export const SHOWN = sql<SqlBool>`deliveries.lane is null and deliveries.dismissed_at is null
	and deliveries.muted = 0`;
const NOT_SHOWN = sql<SqlBool>`(deliveries.lane is not null or deliveries.dismissed_at is not null
	or deliveries.muted <> 0)`;

/**
 * A query of a device's deliveries, run on each of the two indexes that hold them.
 * @param query of the deliveries that meet the condition, in the wanted order, with a limit
 */
function ofBothIndexes<O>(db: Db, query: (where: RawBuilder<SqlBool>) => AliasableExpression<O>) {
	return db
		.selectFrom(query(SHOWN).as('shown'))
		.selectAll()
		.unionAll(db.selectFrom(query(NOT_SHOWN).as('not_shown')).selectAll());
}

interface Place {
	deviceId: string;
	/** The id of a delivery. */
	after: number;
	limit: number;
}

/** The device's deliveries after the given one, oldest first. */
export const inboxAfter = statement((db: Db, params: Place) =>
	ofBothIndexes(db, (condition) =>
		entries(db, params.deviceId)
			.where(condition)
			.where('deliveries.id', '>', params.after)
			.orderBy('deliveries.id')
			.limit(params.limit),
	)
		.orderBy('id')
		.limit(params.limit),
);

/** The newest deliveries of a device, newest first. @param before the oldest one to leave out */
function newestIds(db: Db, deviceId: string, limit: number, before = Number.MAX_SAFE_INTEGER) {
	return ofBothIndexes(db, (condition) =>
		db
			.selectFrom('deliveries')
			.select('deliveries.id')
			.where('deliveries.device_id', '=', deviceId)
			.where(condition)
			.where('deliveries.id', '<', before)
			.orderBy('deliveries.id', 'desc')
			.limit(limit),
	).orderBy('id', 'desc');
}

/** The id of the device's newest delivery; 0 if it has none. */
export async function newestDeliveryId(db: Db, deviceId: string) {
	const row = await newestIds(db, deviceId, 1).limit(1).executeTakeFirst();
	return row?.id ?? 0;
}

/** Unmuted pushes that have not been dismissed, newest first. */
export function recentPushes(db: Db, deviceId: string, limit: number) {
	return entries(db, deviceId)
		.where('messages.kind', '=', 'push')
		.where(SHOWN)
		.orderBy('deliveries.id', 'desc')
		.limit(limit)
		.execute();
}

/** Deliveries a query of the history examines, blocking everything else: each may have a text of 64 KB. */
const STRETCH = 100;

/** The oldest delivery of the next stretch; undefined: the history ends sooner. */
async function stretchEnd(db: Db, deviceId: string, before: number | undefined) {
	const end = newestIds(db, deviceId, STRETCH, before).offset(STRETCH - 1);
	return (await end.limit(1).executeTakeFirst())?.id;
}

/**
 * Condition: the device has nothing newer of the same history entry. An entry can have many messages: a Live Activity
 * has a start, updates and an end; and a message can have many deliveries to a device, if a push is repeated.
 * The page shows the last delivery of the newest message. What is not delivered does not count, nor does a `push_update`,
 * which changes the push in place.
 */
const isNewestState = (build: ExpressionBuilder<Tables, 'deliveries' | 'messages'>) =>
	build.not(
		build.exists(
			// In this order, since starting from the device would compare every delivery with all of its others.
			build
				.selectFrom('messages as newer')
				.crossJoin('deliveries as later')
				.select('later.id')
				.whereRef('newer.history_id', '=', 'messages.history_id')
				.whereRef('later.message_id', '=', 'newer.id')
				.where(({ eb, or, and }) =>
					or([
						eb('newer.id', '>', eb.ref('messages.id')),
						// A repeat of the same push.
						and([
							eb('newer.id', '=', eb.ref('messages.id')),
							eb('later.id', '>', eb.ref('deliveries.id')),
						]),
					]),
				)
				.where('newer.kind', '!=', 'push_update')
				.whereRef('later.device_id', '=', 'deliveries.device_id')
				.where('later.state', 'not in', NOT_DELIVERED),
		),
	);

/**
 * Pushes and Live Activities of the device before an id, newest first; each activity once, in its newest
 * state. Only a bounded stretch is examined, so the page may be short or empty with more to come.
 * @returns `next`: the delivery to continue before; undefined: this was the end
 */
export async function deliveryHistory(
	db: Db,
	deviceId: string,
	{ before, limit, ...filter }: DeviceHistoryQuery,
) {
	const end = await stretchEnd(db, deviceId, before);
	const found = await ofBothIndexes(db, (condition) => {
		let query = entries(db, deviceId)
			.where(condition)
			.innerJoin('history', 'history.id', 'messages.history_id')
			.where('messages.kind', 'not in', ['badge', 'push_update'])
			.where((eb) => eb.and(messageMatches(db, eb, filter)))
			.where(isNewestState)
			.orderBy('deliveries.id', 'desc')
			.limit(limit + 1);
		if (before !== undefined) query = query.where('deliveries.id', '<', before);
		if (end !== undefined) query = query.where('deliveries.id', '>=', end);
		return query;
	})
		.orderBy('id', 'desc')
		.limit(limit + 1)
		.execute();
	const page = found.slice(0, limit);
	return { entries: page, next: found.length > limit ? page.at(-1)?.id : end };
}

/**
 * Marks deliveries as received, whatever the outcome of the attempts, if they belong to the phone given with them. A
 * delivery that was handed over has no error, but may have a note.
 * @returns those that do
 */
export const acknowledge = rowsStatement(
	'deliveries',
	['id', 'device_id', 'acknowledged_at'],
	(_db, rows) => sql<Pick<DeliveryRow, 'id' | 'device_id'>>`
		update deliveries
		set state = 'received', leased_until = null,
			last_error = case when deliveries.handed_over_at is not null then deliveries.last_error end,
			acknowledged_at = coalesce(deliveries.acknowledged_at, received.acknowledged_at)
		from (${rows}) as received
		where deliveries.id = received.id and deliveries.device_id = received.device_id
		returning deliveries.id, deliveries.device_id`,
);

/** Changes a delivery of the device. @returns whether it is this device's */
export const updateDelivery = updateBy('deliveries', 'device_id', 'id');
