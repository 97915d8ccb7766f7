import { hash } from 'node:crypto';
import type { Notification } from '../../contract/shown.ts';
import { endRepeatsOf } from '../../store/outbox/repeats.ts';
import { retireDeliveries } from '../../store/outbox/delivered.ts';
import { messagesOfSequences, saveSequences } from '../../store/outbox/messages.ts';
import { deleteSnoozesOf } from '../../store/phones/snoozes.ts';
import type { Db } from '../../store/schema.ts';
import type { Caller, Context } from '../context.ts';
import { decideAudience, loadReach, NOBODY, toReachQuery } from './audience.ts';
import type { AcceptedMessage } from './outgoing.ts';
import { updatePush } from './stored-pushes.ts';

/** Sequences, in which each push replaces the one before it (docs/api-decisions.md "Replacing a push"). */

/** The longest topic of Web Push (RFC 8030 section 5.4); a collapse id of APNs may be longer. */
const HASH_LENGTH = 32;

/**
 * Identifies a sequence. The target is part of it, so no key can replace what goes to channels outside its own.
 * @param id as the sender names it
 */
export function toSequence(
	{ accountId }: Pick<Caller, 'accountId'>,
	slugs: readonly string[] | null,
	id: string,
): string {
	const target = slugs && [...new Set(slugs)].sort();
	const content = JSON.stringify([accountId, target, id]);
	return hash('sha256', content, 'base64url').slice(0, HASH_LENGTH);
}

/** Removes the pushes that the stored ones replace from all phones. */
export async function replaceEarlier(db: Db, sent: readonly AcceptedMessage[], now: number) {
	const newest = new Map<string, number>();
	const replaced: number[] = [];
	for (const { sequence, message } of sent) {
		if (sequence === undefined) continue;
		const previous = newest.get(sequence);
		if (previous !== undefined) replaced.push(previous);
		newest.set(sequence, message.id);
	}
	if (newest.size === 0) return;
	const earlier = await messagesOfSequences(db, [...newest.keys()]);
	await takeOff(db, [...earlier.map(({ id }) => id), ...replaced], now);
	const rows = [...newest].map(([hash, message_id]) => ({ hash, message_id }));
	await saveSequences(db, rows);
}

/** Removes messages from the phones: they no longer repeat, nor return from a snooze. */
async function takeOff(db: Db, messageIds: readonly number[], now: number) {
	if (messageIds.length === 0) return;
	await retireDeliveries(db, messageIds, now);
	await endRepeatsOf(db, messageIds, now);
	await deleteSnoozesOf(db, messageIds);
}

/**
 * Removes the last push of a sequence from the phones that show it. An unknown sequence changes nothing.
 * @param slugs its target
 * @throws Refusal `forbidden` or `invalid` for channels that the key may not name, or that do not exist
 */
export async function clearSequence(
	context: Context,
	caller: Caller,
	slugs: readonly string[],
	id: string,
) {
	const deliveries = await context.database.write(caller.accountId, async (db) => {
		const reach = await loadReach(db, [toReachQuery(caller, slugs)]);
		decideAudience(reach.get(caller.accountId) ?? NOBODY, caller, slugs);
		const [message] = await messagesOfSequences(db, [toSequence(caller, slugs, id)]);
		if (!message) return [];
		const push = JSON.parse(message.content_json) as Notification;
		const updates = await updatePush(db, context, message, { ...push, cleared: true });
		await takeOff(db, [message.id], context.now());
		caller.onRecorded?.(message.history_id);
		return updates;
	});
	// No response waits for the push services.
	void context.outbox.deliverNow(deliveries);
}
