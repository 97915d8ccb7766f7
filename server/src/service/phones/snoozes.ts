import { pushOfDelivery } from '../../store/outbox/delivered.ts';
import type { SnoozeRequest, SnoozeResponse } from '../../contract/device.ts';
import type { Notification } from '../../contract/shown.ts';
import { endRepeats } from '../sending/repeats.ts';
import { updateDelivery } from '../../store/phones/inbox.ts';
import { dismissOnOtherPhones } from '../../store/phones/shown-pushes.ts';
import { dueSnoozes, keepSnoozes } from '../../store/phones/snoozes.ts';
import type { SnoozeRow } from '../../store/schema.ts';
import { type Context, isoTime } from '../context.ts';
import type { LaterKind } from '../later/later.ts';
import { snoozeEnd, toQuietSettings } from '../quiet/rules.ts';
import { notFound } from '../refusal.ts';
import { deliverStored, loadReceivers, announceReplaced } from '../sending/stored-pushes.ts';
import type { Device } from './pairing.ts';

/**
 * Removes a push from all of the person's phones until later. Like a dismissal, it ends the repeats of the push.
 * @throws Refusal `not_found` when this phone has no such push
 */
export async function snoozePush(context: Context, device: Device, request: SnoozeRequest) {
	const { delivery_id: id, until, time_zone } = request;
	const now = context.now();
	const due = snoozeEnd(until, { hours: toQuietSettings(device).hours, time_zone }, now);
	const others = await context.database.write(device.account_id, async (db) => {
		const push = await pushOfDelivery(db, device.id, id);
		if (!push) throw notFound('Notification not found', 'This phone has no such notification.');
		await updateDelivery(db, device.id, id, { dismissed_at: now });
		await endRepeats(db, device.id, [id], now);
		const { account_id, user_id } = device;
		await keepSnoozes(db, [
			{ message_id: push.message_id, user_id, account_id, due_at: due, created_at: now },
		]);
		return dismissOnOtherPhones(db, device, [id], now);
	});
	for (const phone of [device.id, ...others]) context.openPages.dismissalsChanged(phone);
	return { until: isoTime(due), undo: String(now) } satisfies SnoozeResponse;
}

/**
 * Delivers pushes whose snooze is over to the person's phones, without counting toward a rate limit or quota. A
 * question that has ended meanwhile does not return.
 */
export const snoozes: LaterKind<SnoozeRow> = {
	what: 'snoozed pushes',
	rows: dueSnoozes,
	async handle(db, { context, rows }) {
		const messageIds = rows.map(({ message_id: id }) => id);
		const sent = await loadReceivers(db, messageIds);
		const returning = sent.filter(({ message }) => {
			const { answer, question } = JSON.parse(message.content_json) as Notification;
			return answer?.final !== true && (question?.status ?? 'open') === 'open';
		});
		const redeliveries = returning.map(({ devices, ...sent }) => {
			const snoozed = rows.filter(({ message_id: id }) => id === sent.message.id);
			const people = new Set(snoozed.map(({ user_id: id }) => id));
			return { ...sent, devices: devices.filter(({ user_id: id }) => people.has(id)) };
		});
		const deliveries = await deliverStored(db, context, redeliveries);
		return { deliveries, announce: () => announceReplaced(context, deliveries) };
	},
};
