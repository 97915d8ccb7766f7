import { type Expression, sql, type SqlBool } from 'kysely';
import type { DeliveryState } from '../../contract/delivery-states.ts';
import { isSelected } from '../engine/statement.ts';
import { eachWord, isLike } from '../list-pages.ts';
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
	/** Only the deliveries in this state, to phones with these words in their own or their people's names. */
	state?: DeliveryState | undefined;
	search?: string;
}

/** The state of a delivery as people see it, with the reason if it has not woken its phone. */
const SHOWN_STATE = sql<DeliveryState>`
	case when deliveries.state <> 'stored' then deliveries.state
		when deliveries.muted <> 0 then 'muted'
		when deliveries.held <> 0 then 'held_back'
		else 'stored' end`;

const idsOf = (db: Db, historyId: string, before?: LifecycleCursor) =>
	db
		.selectFrom('messages')
		.select('id')
		.where('history_id', '=', historyId)
		.where(before ? sql<SqlBool>`id <= ${before.message_id}` : sql.lit(true));

const isBefore = (cursor: LifecycleCursor | undefined, message: string) =>
	cursor
		? sql<SqlBool>`(${sql.ref(message)}, deliveries.device_id, deliveries.id) < (${cursor.message_id}, ${cursor.device_id}, ${cursor.id})`
		: sql.lit(true);

const deliveriesOf = (db: Db, messages: Expression<unknown>, part: Part) =>
	db
		.selectFrom('deliveries')
		.select(['message_id', 'device_id', 'id', 'last_error', SHOWN_STATE.as('state')])
		.where(isSelected(db, 'message_id', messages))
		.where(isBefore(part.before, 'message_id'))
		.where((eb) => eb.and(isAskedFor(db, part)))
		// In the order of the index, so that reading a part does not sort all that follows it.
		.orderBy('message_id', 'desc')
		.orderBy('device_id', 'desc')
		.orderBy('id', 'desc')
		.limit(part.limit);

/** Conditions on a delivery; none if all are asked for. */
function isAskedFor(db: Db, { state, search = '' }: Part): Expression<SqlBool>[] {
	const words = eachWord(search, (like) => [
		isLike(db, 'devices.name', like),
		isLike(db, 'users.name', like),
	]);
	const phone = db
		.selectFrom('devices')
		.innerJoin('users', 'users.id', 'devices.user_id')
		.select('devices.id')
		.where(sql<SqlBool>`devices.id = deliveries.device_id`)
		.where((eb) => eb.and(words));
	return [
		...(state === undefined ? [] : [sql<SqlBool>`${SHOWN_STATE} = ${state}`]),
		...(words.length === 0 ? [] : [sql<SqlBool>`exists ${phone}`]),
	];
}

/** The states of an entry's deliveries, newest first, except those of answers. */
export function deliveryStates(db: Db, historyId: string, part: Part) {
	const messages = idsOf(db, historyId, part.before).where('kind', '!=', 'push_update');
	return deliveriesOf(db, messages, part).execute();
}

/**
 * An entry's messages and deliveries, newest first: a row for each delivery, and one for a message without any, unless
 * only some deliveries are asked for.
 */
export function lifecyclePart(db: Db, historyId: string, part: Part) {
	const { before, limit } = part;
	const ids = idsOf(db, historyId, before);
	const isOfAll = isAskedFor(db, part).length === 0;
	const messages = db
		.selectFrom('messages')
		.select(['id', 'kind', 'content_json', 'created_at'])
		.where(isSelected(db, 'id', ids))
		.orderBy('id', 'desc')
		// Read one more than a part shows: all deliveries of the first may be in the part before.
		.$if(isOfAll, (query) => query.limit(limit + 1));
	const deliveries = deliveriesOf(db, ids, part)
		.select(['attempts', 'failures', 'muted', 'held'])
		.select(['handed_over_at', 'acknowledged_at', 'dismissed_at']);
	return db
		.selectFrom(messages.as('messages'))
		.leftJoin(deliveries.as('deliveries'), 'deliveries.message_id', 'messages.id')
		.leftJoin('devices', 'devices.id', 'deliveries.device_id')
		.leftJoin('users', 'users.id', 'devices.user_id')
		.selectAll('deliveries')
		.select(['messages.id as message_id', 'kind', 'content_json', 'messages.created_at'])
		.select(['devices.name as device', 'users.name as user', 'platform'])
		.select(['push_subscription_json', 'failure', 'failed_at'])
		.where(isBefore(before, 'messages.id'))
		.$if(!isOfAll, (query) => query.where('deliveries.id', 'is not', null))
		.orderBy('messages.id', 'desc')
		.orderBy('deliveries.device_id', 'desc')
		.orderBy('deliveries.id', 'desc')
		.limit(limit)
		.execute();
}

interface Lifecycle {
	messages: number;
	/** Phones on which its Live Activity was started; 0 for anything else. */
	started: number;
	/** The content that was sent last, except answers. */
	content_json: string | null;
}

/** An entry's messages as a whole. */
export async function summarizeLifecycle(db: Db, historyId: string) {
	const sent = idsOf(db, historyId).where('kind', '!=', 'push_update');
	const { rows } = await sql<Lifecycle>`
		select (select count(*) from messages where history_id = ${historyId}) as messages,
			(select count(*) from activity_devices where activity_id = ${historyId}) as started,
			(select content_json from messages where ${isSelected(db, 'id', sent)}
				order by id desc limit 1) as content_json`.execute(db);
	return rows[0] ?? { messages: 0, started: 0, content_json: null };
}

/** The push of an entry, with its webhooks and what only the server knows; undefined for other entries. */
export function pushOfEntry(db: Db, accountId: string, historyId: string) {
	return db
		.selectFrom('messages')
		.innerJoin('history', 'history.id', 'messages.history_id')
		.select(['messages.id', 'messages.content_json', 'messages.actions_json'])
		.select(['history.channels_json', 'history.tags_json', 'history.metadata_json'])
		.select(['history.api_key_id', 'history.request_id'])
		.select(['messages.created_at', 'messages.expires_at'])
		.where('messages.history_id', '=', historyId)
		.where('messages.account_id', '=', accountId)
		.where('messages.kind', '=', 'push')
		.executeTakeFirst();
}
