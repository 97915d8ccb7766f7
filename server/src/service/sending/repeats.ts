import type { RepeatStopResponse } from '../../contract/repeats.ts';
import { type Db, fromJson, type RepeatRow } from '../../store/schema.ts';
import {
	scheduleNext,
	dueRepeats,
	endRepeat,
	endRepeatsOf,
	repeatById,
	repeatingPushes,
} from '../../store/outbox/repeats.ts';
import type { Caller, Context } from '../context.ts';
import type { LaterKind } from '../later/later.ts';
import { notFound } from '../refusal.ts';
import { toChannels } from '../shown/content.ts';
import { requireWithinKey, loadReach, loadStillReached, toReachQuery } from './audience.ts';
import { deliverStored, loadReceivers, announceReplaced } from './stored-pushes.ts';

/**
 * Delivers pushes again, replacing their last delivery. Repeats count toward no rate limit or quota: the push was
 * accepted with them.
 */
export const repeats: LaterKind<RepeatRow> = {
	what: 'repeating pushes',
	rows: dueRepeats,
	async handle(db, { context, rows, time }) {
		const ids = rows.map(({ id }) => id);
		await scheduleNext(db, ids, time);
		const messageIds = rows.map(({ message_id: id }) => id);
		const deliveries = await deliverStored(db, context, await loadReceivers(db, messageIds));
		return { deliveries, announce: () => announceReplaced(context, deliveries) };
	},
};

/**
 * DELETE /push-notification/repeated/{repeat_id}. One that has already ended is unchanged.
 * @throws Refusal `not_found`, or `forbidden` when the push also reached devices outside the key's channels
 */
export async function stopRepeat(context: Context, caller: Caller, id: string) {
	return context.database.write(caller.accountId, async (db): Promise<RepeatStopResponse> => {
		const repeat = await repeatById(db, caller.accountId, id);
		if (!repeat)
			throw notFound(
				'Repeat not found',
				'There is no repeated push with this id. Its history may have been deleted.',
			);
		const slugs = fromJson<string[]>(repeat.channels_json) ?? null;
		const reach = await loadReach(db, slugs ? [toReachQuery(caller, slugs)] : []);
		requireWithinKey(caller, slugs, 'push', reach.get(caller.accountId));
		await endRepeat(db, id, 'stopped', context.now());
		caller.onRecorded?.(repeat.history_id);
		return { success: true, repeat_id: id, outcome: repeat.end_reason ?? 'stopped' };
	});
}

/** Ends the repeats of pushes that somebody has reacted to on a phone, unless it has left their channels. */
export async function endRepeats(
	db: Db,
	deviceId: string,
	deliveryIds: readonly number[],
	now: number,
) {
	const pushes = deliveryIds.length > 0 ? await repeatingPushes(db, deviceId, deliveryIds) : [];
	const isReached = await loadStillReached(db, pushes.length > 0 ? [deviceId] : []);
	const ended = pushes.filter((push) => isReached(deviceId, toChannels(push)));
	const ids = ended.map(({ message_id: id }) => id);
	await endRepeatsOf(db, ids, now, 'reacted');
}
