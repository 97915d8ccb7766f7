import {
	dueExpiries,
	forgetExpiries,
	type Message,
	updateMessage,
} from '../../store/outbox/messages.ts';
import type { DeliveryDevice, OutgoingDelivery } from '../../store/outbox/deliveries.ts';
import { endRepeatsOf } from '../../store/outbox/repeats.ts';
import {
	linkToPush,
	listReceivers,
	phonesShowing,
	retireDeliveries,
	sentMessages,
} from '../../store/outbox/delivered.ts';
import { toSlugs } from '../../store/keys-and-channels/api-keys.ts';
import type { Db, MessageRow } from '../../store/schema.ts';
import type { Context } from '../context.ts';
import { channelsOf } from '../questions/question.ts';
import { messageUrgency } from '../quiet/rules.ts';
import { loadMuted, loadStillReached } from './audience.ts';
import { newDelivery, storeDeliveries, storeMessages, toOutgoing } from './outgoing.ts';
import type { Notification } from '../../contract/shown.ts';
import { expireDeliveriesOf } from '../../store/outbox/outcomes.ts';
import type { LaterKind } from '../later/later.ts';

/** A stored message, and the phones to which it is now delivered. */
interface Redelivery<D extends DeliveryDevice = DeliveryDevice> {
	message: Message;
	devices: readonly D[];
	/** The phones that it must not interrupt. */
	muted: ReadonlySet<string>;
}

/**
 * Delivers stored messages again. Each keeps its urgency, is held back on quiet phones, and queues behind earlier
 * deliveries in its lane. It replaces the earlier deliveries of the same message on its phones.
 * @returns the deliveries to attempt once they are committed
 */
export async function deliverStored(
	db: Db,
	{ now: clock }: Pick<Context, 'now'>,
	redeliveries: readonly Redelivery[],
): Promise<OutgoingDelivery[]> {
	const now = clock();
	for (const { message, devices } of redeliveries) {
		const ids = devices.map(({ id }) => id);
		await retireDeliveries(db, [message.id], now, ids);
	}
	const deliveries = redeliveries.flatMap(({ message, devices, muted }) => {
		const urgency = messageUrgency(message);
		return devices.map((device) => newDelivery(message, device, { muted, urgency }, now));
	});
	await storeDeliveries(db, deliveries, now);
	return deliveries;
}

/** After the commit: lets open pages remove what the deliveries replace. */
export function announceReplaced(
	{ openPages }: Pick<Context, 'openPages'>,
	deliveries: readonly OutgoingDelivery[],
): void {
	for (const id of new Set(deliveries.map(({ device }) => device.id)))
		openPages.dismissalsChanged(id);
}

/**
 * The paired phones that got the messages and are still reached by their channels; for a question, also by those of
 * its escalation. If a key limited to channels sent it, the phone must still be in that key's channels, unless the key
 * was revoked.
 */
export async function loadReceivers(db: Db, messageIds: readonly number[]) {
	const messages = await sentMessages(db, messageIds);
	const receivers = await listReceivers(db, messageIds);
	const byMessage = Map.groupBy(receivers, ({ message_id: id }) => id);
	const isReached = await loadStillReached(db, [...new Set(receivers.map(({ id }) => id))]);
	const reach = messages.map((sent) => ({ accountId: sent.account_id, slugs: channelsOf(sent) }));
	const mutedBy = await loadMuted(db, reach);
	return messages.map((message) => {
		const slugs = channelsOf(message);
		const keySlugs = message.revoked_at === null ? toSlugs(message) : null;
		const devices = byMessage.get(message.id) ?? [];
		return {
			message,
			devices: devices.filter(({ id }) => isReached(id, slugs) && isReached(id, keySlugs)),
			muted: mutedBy(message.account_id, slugs),
		};
	});
}

/**
 * Changes a stored push, and sends the change to every phone showing it.
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
	const update = toOutgoing(
		{ account_id, history_id, kind: 'push_update', content_json, lane, created_at: now },
		{ devices },
	);
	// An update inherits from the push whether it may wake the phone.
	for (const [index, delivery] of update.deliveries.entries())
		Object.assign(delivery, phones[index]);
	await storeMessages(db, [update], now);
	await linkToPush(db, update.message.id, id);
	return update.deliveries;
}

/** Ends the deliveries and repeats of pushes that have expired (docs/api-decisions.md "Expiry"). */
export const pushExpiry: LaterKind<MessageRow> = {
	what: 'expiring pushes',
	rows: dueExpiries,
	async handle(db, { rows, time }) {
		const messageIds = rows.map(({ id }) => id);
		await expireDeliveriesOf(db, { messageIds, now: time });
		await endRepeatsOf(db, messageIds, time);
		await forgetExpiries(db, messageIds);
		return {};
	},
};
