import { updateBy } from '../engine/by-key.ts';
import { type DeliveryDevice, HELD, type OutgoingDelivery } from '../outbox/outbox.ts';
import { DELIVERY_COLUMNS } from '../phones/device-audience.ts';
import type { Db, DeliveryRow, DeviceRow, MessageRow } from '../schema.ts';

export type PushRow = Pick<DeliveryRow, 'message_id'> &
	Pick<MessageRow, 'history_id' | 'content_json' | 'actions_json'>;

/** The push of a delivery to the device. */
export async function pushOfDelivery(
	db: Db,
	deviceId: string,
	deliveryId: number,
): Promise<PushRow | undefined> {
	return db
		.selectFrom('deliveries')
		.innerJoin('messages', 'messages.id', 'deliveries.message_id')
		.select([
			'deliveries.message_id',
			'messages.history_id',
			'messages.content_json',
			'messages.actions_json',
		])
		.where('deliveries.device_id', '=', deviceId)
		.where('deliveries.id', '=', deliveryId)
		.where('messages.kind', '=', 'push')
		.executeTakeFirst();
}

/** A changed content appears in future snapshots, in the inbox and in the history. */
export const updateMessage = updateBy('messages', 'id');

/** What a phone's delivery of an update takes over from that of the push. */
interface ShowingPhone extends Required<
	Pick<OutgoingDelivery, 'isMuted' | 'isHeld' | 'isOnActivity' | 'pushDeliveryId'>
> {
	device: DeliveryDevice & Pick<DeviceRow, 'user_id'>;
}

/** The paired phones on which the push was not dismissed. */
export async function phonesShowing(db: Db, messageId: number): Promise<ShowingPhone[]> {
	const rows = await db
		.selectFrom('deliveries')
		.innerJoin('devices', 'devices.id', 'deliveries.device_id')
		.select([
			'deliveries.id as delivery_id',
			'deliveries.muted',
			'deliveries.held',
			'devices.id',
			'devices.user_id',
			...DELIVERY_COLUMNS,
		])
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
export async function linkToPush(db: Db, updateId: number, pushMessageId: number): Promise<void> {
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
