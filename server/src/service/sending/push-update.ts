import type { Notification } from '../../contract/shown.ts';
import type { OutgoingDelivery } from '../../store/outbox/outbox.ts';
import type { Db, MessageRow } from '../../store/schema.ts';
import { linkToPush, phonesShowing, updateMessage } from '../../store/taps/answered-pushes.ts';
import type { Context } from '../context.ts';
import { loadLanes } from './delivery-lanes.ts';
import { storeMessages, toOutgoing } from './outgoing.ts';

/**
 * Changes a stored push, and tells every phone showing it.
 * @param lane of the push and its updates
 * @returns the deliveries to attempt once it is committed
 */
export async function updatePush(
	db: Db,
	context: Pick<Context, 'now'>,
	{ id, account_id, history_id }: Pick<MessageRow, 'id' | 'account_id' | 'history_id'>,
	push: Notification,
	lane = `push:${id}`,
): Promise<OutgoingDelivery[]> {
	const content_json = JSON.stringify(push);
	await updateMessage(db, id, { content_json });
	const phones = await phonesShowing(db, id);
	const devices = phones.map(({ device }) => device);
	const now = context.now();
	const lanes = await loadLanes(db, new Map([[lane, new Set(devices.map((one) => one.id))]]), now);
	const update = toOutgoing(
		{ account_id, history_id, kind: 'push_update', content_json, lane, created_at: now },
		{ devices },
		lanes,
	);
	// Where no push service brought the question, none brings its answer.
	for (const [index, delivery] of update.deliveries.entries())
		Object.assign(delivery, phones[index]);
	await storeMessages(db, [update], lanes);
	await linkToPush(db, update.message.id, id);
	return update.deliveries;
}
