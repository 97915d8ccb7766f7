import type { RepeatStopResponse } from '../../contract/repeats.ts';
import type { Notification } from '../../contract/shown.ts';
import { fromJson } from '../../store/json.ts';
import type { Message } from '../../store/outbox/messages.ts';
import type { OutgoingDelivery } from '../../store/outbox/outbox.ts';
import {
	dueRepeats,
	endRepeat,
	listReceivers,
	repeatById,
	repeatedMessages,
	retireDeliveries,
	takeDueRepeats,
} from '../../store/outbox/repeats.ts';
import type { Db } from '../../store/schema.ts';
import type { Caller, Context } from '../context.ts';
import { forEachAccount } from '../../regular-work.ts';
import { messageUrgency } from '../quiet/urgency.ts';
import { notFound } from '../refusal.ts';
import { assertWithinKey, loadMuted, loadReach, reachedBy } from './audience.ts';
import { newDelivery, storeDeliveries } from './outgoing.ts';

/** It reached whom it asks, also by its escalation. */
const isQuestion = ({ content_json: json }: Message) =>
	(JSON.parse(json) as Notification).question !== undefined;

/** Repeats handled in one round. */
const AT_ONCE = 500;

/**
 * Delivers the pushes that are due again. They count toward no rate limit or quota: they are deliveries of
 * an accepted push.
 * @returns the number of deliveries
 */
export async function deliverRepeats(context: Context): Promise<number> {
	const { database, openPages } = context;
	const due = await dueRepeats(database.read, context.now(), AT_ONCE);
	let count = 0;
	await forEachAccount(due, async (accountId, repeats) => {
		const ids = repeats.map(({ id }) => id);
		const deliveries = await database.write(accountId, (db) => storeRepeats(db, context, ids));
		count += deliveries.length;
		for (const id of new Set(deliveries.map(({ device }) => device.id)))
			openPages.dismissalsChanged(id);
		await context.outbox.deliverNow(deliveries);
	});
	return count;
}

/** Stores further deliveries of the pushes that are due, in place of the last ones. */
async function storeRepeats(
	db: Db,
	{ now: clock }: Context,
	ids: readonly string[],
): Promise<OutgoingDelivery[]> {
	const now = clock();
	const messageIds = await takeDueRepeats(db, ids, now);
	if (messageIds.length === 0) return [];
	await retireDeliveries(db, messageIds, now);
	return storeAgain(db, messageIds, now);
}

/**
 * Stores a further delivery of messages to each paired device that got them and that their channels still reach.
 * @param isFor whether the device is to get the message again
 */
export async function storeAgain(
	db: Db,
	messageIds: readonly number[],
	now: number,
	isFor: (message: Message, device: { user_id: string }) => boolean = () => true,
): Promise<OutgoingDelivery[]> {
	const messages = await repeatedMessages(db, messageIds);
	const receivers = Map.groupBy(await listReceivers(db, messageIds), (device) => device.message_id);
	const asked = messages.map(({ account_id: accountId, channels_json: json }) => ({
		accountId,
		slugs: fromJson<string[]>(json) ?? null,
	}));
	const mutedBy = await loadMuted(db, asked);
	const named = asked.filter(({ slugs }) => slugs);
	const reach = await loadReach(db, named);
	const deliveries = messages.flatMap(({ channels_json: json, ...message }) => {
		const slugs = fromJson<string[]>(json) ?? null;
		const { channels } = reach.get(message.account_id) ?? {};
		const reached = slugs?.flatMap((slug) => channels?.get(slug) ?? []).map(({ id }) => id);
		const stillReached = reached && new Set(reached);
		const devices = (receivers.get(message.id) ?? []).filter(
			(device) =>
				(isQuestion(message) || (stillReached?.has(device.id) ?? true)) && isFor(message, device),
		);
		const muted = mutedBy(message.account_id, slugs);
		const urgency = messageUrgency(message);
		return devices.map((device) => newDelivery(message, device, { muted, urgency }, now));
	});
	await storeDeliveries(db, deliveries);
	return deliveries;
}

/**
 * DELETE /push-notification/repeated/{repeat_id}. One that has already ended is unchanged.
 * @throws Refusal `not_found`, or `forbidden` when the push also reached devices outside the key's channels
 */
export async function stopRepeat(
	{ database, now }: Context,
	caller: Caller,
	id: string,
): Promise<RepeatStopResponse> {
	return database.write(caller.accountId, async (db) => {
		const repeat = await repeatById(db, caller.accountId, id);
		if (!repeat) {
			throw notFound(
				'Repeat not found',
				'There is no repeated push with this id. Its history may have been deleted.',
			);
		}
		const slugs = fromJson<string[]>(repeat.channels_json) ?? null;
		const reach = await loadReach(db, slugs ? [reachedBy(caller, slugs)] : []);
		assertWithinKey(caller, slugs, 'push', reach.get(caller.accountId));
		await endRepeat(db, id, 'stopped', now());
		caller.recorded?.(repeat.history_id);
		return { success: true, repeat_id: id, outcome: repeat.end_reason ?? 'stopped' };
	});
}
