import type { SnoozeRequest, SnoozeResponse } from '../../contract/device.ts';
import type { Notification } from '../../contract/shown.ts';
import { forEachAccount } from '../../regular-work.ts';
import type { Message } from '../../store/outbox/messages.ts';
import type { OutgoingDelivery } from '../../store/outbox/outbox.ts';
import { endRepeats } from '../../store/outbox/repeats.ts';
import { dismissDelivery } from '../../store/phones/inbox.ts';
import { dismissOnOtherPhones } from '../../store/phones/shown-pushes.ts';
import {
	dueSnoozes,
	keepSnooze,
	messageOfPush,
	takeDueSnoozes,
} from '../../store/phones/snoozes.ts';
import type { Db } from '../../store/schema.ts';
import { type Context, isoTime } from '../context.ts';
import { snoozeEnd, toQuietSettings } from '../quiet/rules.ts';
import { notFound } from '../refusal.ts';
import { storeAgain } from '../sending/repeats.ts';
import type { Phone } from './pairing.ts';

/** Snoozes that end in one round. */
const AT_ONCE = 500;

/**
 * Takes a push off all of the person's phones until later. Like a dismissal, it ends the repeats of the push.
 * @throws Refusal `not_found` when this phone has no such push
 */
export async function snoozePush(
	context: Context,
	device: Phone,
	{ delivery_id: id, until, time_zone }: SnoozeRequest,
): Promise<SnoozeResponse> {
	const now = context.now();
	const due = snoozeEnd(until, { hours: toQuietSettings(device).hours, time_zone }, now);
	const others = await context.database.write(device.account_id, async (db) => {
		const messageId = await messageOfPush(db, device.id, id);
		if (messageId === undefined)
			throw notFound('Notification not found', 'This phone has no such notification.');
		await dismissDelivery(db, device.id, id, now);
		await endRepeats(db, device.id, [id], now);
		await keepSnooze(db, {
			message_id: messageId,
			user_id: device.user_id,
			account_id: device.account_id,
			due_at: due,
			created_at: now,
		});
		return dismissOnOtherPhones(db, device, [id], now);
	});
	for (const phone of [device.id, ...others]) context.openPages.dismissalsChanged(phone);
	return { until: isoTime(due), undo: String(now) };
}

/**
 * Delivers the pushes whose snooze is over to the phones of the person. They count toward no rate limit or quota.
 * @returns the number of deliveries
 */
export async function endSnoozes(context: Context): Promise<number> {
	const { database } = context;
	const due = await dueSnoozes(database.read, context.now(), AT_ONCE);
	let count = 0;
	await forEachAccount(due, async (accountId) => {
		const deliveries = await database.write(accountId, (db) =>
			storeSnoozed(db, accountId, context.now()),
		);
		count += deliveries.length;
		await context.outbox.deliverNow(deliveries);
	});
	return count;
}

/** A question that has ended meanwhile does not return. */
async function storeSnoozed(db: Db, accountId: string, now: number): Promise<OutgoingDelivery[]> {
	const over = await takeDueSnoozes(db, accountId, now);
	if (over.length === 0) return [];
	const isOver = (message: Message, device: { user_id: string }) => {
		const { answer, question } = JSON.parse(message.content_json) as Notification;
		const hasEnded = answer?.final === true || (question?.status ?? 'open') !== 'open';
		return (
			!hasEnded &&
			over.some(({ message_id: id, user_id }) => id === message.id && user_id === device.user_id)
		);
	};
	return storeAgain(
		db,
		over.map(({ message_id: id }) => id),
		now,
		isOver,
	);
}
