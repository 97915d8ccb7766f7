import type { Db } from '../schema.ts';
import { HELD } from './deliveries.ts';
import { isAmong } from '../engine/statement.ts';
import { SLUGS } from '../keys-and-channels/api-keys.ts';
import { DELIVERY_COLUMNS } from '../phones/device-audience.ts';
import { MESSAGE_COLUMNS } from './messages.ts';

/** The paired phones on which the push was not dismissed, with what an update inherits from the push's delivery. */
export async function phonesShowing(db: Db, messageId: number) {
	const rows = await db
		.selectFrom('deliveries')
		.innerJoin('devices', 'devices.id', 'deliveries.device_id')
		.select(['deliveries.id as delivery_id', 'deliveries.muted', 'deliveries.held'])
		.select(['devices.id', 'devices.user_id', ...DELIVERY_COLUMNS])
		.where('deliveries.message_id', '=', messageId)
		.where('deliveries.state', '!=', 'failed')
		.where('deliveries.dismissed_at', 'is', null)
		.where('devices.status', '=', 'active')
		.execute();
	return rows.map(({ delivery_id, muted, held, ...device }) => ({
		pushDeliveryId: delivery_id,
		isMuted: muted === 1,
		isHeld: held !== HELD.no,
		isOnActivity: held === HELD.onActivity,
		device,
	}));
}

/** Links each delivery of the update to the delivery of the push on the same device. */
export async function linkToPush(db: Db, updateId: number, pushMessageId: number) {
	await db
		.updateTable('deliveries')
		.set((eb) => ({
			push_delivery_id: eb
				.selectFrom('deliveries as push')
				// A repeated push has several; the device shows the last.
				.select(({ fn }) => fn.max('push.id').as('id'))
				.where('push.message_id', '=', pushMessageId)
				.whereRef('push.device_id', '=', 'deliveries.device_id'),
		}))
		.where('message_id', '=', updateId)
		.execute();
}

/** Messages with the columns from which `channelsOf` reads their channels, and what their key may reach. */
export function sentMessages(db: Db, ids: readonly number[]) {
	return db
		.selectFrom('messages')
		.innerJoin('history', 'history.id', 'messages.history_id')
		.leftJoin('questions', 'questions.id', 'messages.history_id')
		.leftJoin('api_keys', 'api_keys.id', 'history.api_key_id')
		.select(MESSAGE_COLUMNS)
		.select(['api_keys.revoked_at', SLUGS])
		.select(['history.channels_json', 'questions.terms_json', 'questions.escalated_json'])
		.where('messages.id', 'in', ids)
		.orderBy('messages.id')
		.execute();
}

/** The paired phones that got messages before. */
export function listReceivers(db: Db, messageIds: readonly number[]) {
	return db
		.selectFrom('deliveries')
		.innerJoin('devices', 'devices.id', 'deliveries.device_id')
		.select(['deliveries.message_id', 'devices.id', 'devices.user_id', ...DELIVERY_COLUMNS])
		.distinct()
		.where('deliveries.message_id', 'in', messageIds)
		.where('devices.status', '=', 'active')
		.orderBy('devices.id')
		.execute();
}

/**
 * Removes the earlier deliveries of messages from the phones: a repeat replaces them. One that is being
 * attempted is left alone.
 * @param deviceIds the phones that get the repeat, if not all that got the messages
 */
export async function retireDeliveries(
	db: Db,
	messageIds: readonly number[],
	now: number,
	deviceIds?: readonly string[],
) {
	const theirs = () =>
		db
			.updateTable('deliveries')
			.where('message_id', 'in', messageIds)
			.$if(deviceIds !== undefined, (query) =>
				query.where(isAmong(db, 'device_id', deviceIds ?? [])),
			);
	// An undo restores what was dismissed at its time. A repeat leaves earlier dismissals alone; a push taken off for
	// good overwrites their time, so that no undo brings it back.
	const isRepeated = deviceIds !== undefined;
	await theirs()
		.set({ dismissed_at: now })
		.$if(isRepeated, (query) => query.where('dismissed_at', 'is', null))
		.execute();
	await theirs()
		.set({ state: 'superseded', leased_until: null })
		.where('state', '=', 'pending')
		.where((eb) => eb.or([eb('leased_until', 'is', null), eb('leased_until', '<=', now)]))
		.execute();
}

/** True if the message must not interrupt one of its phones. */
export async function isQuietSomewhere(db: Db, messageId: number) {
	const row = await db
		.selectFrom('deliveries')
		.select('id')
		.where('message_id', '=', messageId)
		.where(({ eb, or }) => or([eb('muted', '=', 1), eb('held', '!=', HELD.no)]))
		.limit(1)
		.executeTakeFirst();
	return row !== undefined;
}

export type PushRow = NonNullable<Awaited<ReturnType<typeof pushOfDelivery>>>;

/** The push of a delivery to the device. */
export function pushOfDelivery(db: Db, deviceId: string, deliveryId: number) {
	return db
		.selectFrom('deliveries')
		.innerJoin('messages', 'messages.id', 'deliveries.message_id')
		.innerJoin('history', 'history.id', 'messages.history_id')
		.select(['deliveries.message_id', 'messages.history_id', 'messages.content_json'])
		.select(['messages.actions_json', 'history.channels_json'])
		.where('deliveries.device_id', '=', deviceId)
		.where('deliveries.id', '=', deliveryId)
		.where('messages.kind', '=', 'push')
		.executeTakeFirst();
}
