import type { TapRequest, TapResponse } from '../../contract/device.ts';
import type { Answer } from '../../contract/shown.ts';
import type { TriggerTap } from '../../contract/triggers.ts';
import type { OutgoingDelivery } from '../../store/outbox/deliveries.ts';
import type { Db, TriggerRow, TriggerTapRow } from '../../store/schema.ts';
import {
	countWaitingTaps,
	findTrigger,
	deleteTriggers,
	insertTriggerTap,
	dueTaps,
	updateTrigger,
} from '../../store/triggers.ts';
import { type Context, isoTime } from '../context.ts';
import type { Device } from '../phones/pairing.ts';
import { type StoredAction, triggerOf } from '../shown/buttons.ts';
import { storeAnswer } from '../taps/answer.ts';
import {
	nothingListened,
	startsNow,
	TOO_MANY_TAPS,
	UNKNOWN_TRIGGER,
	waitsForListener,
} from '../taps/words.ts';
import { updateTap } from '../../store/taps/taps.ts';
import { lastAnswer, findTapTarget } from '../taps/target.ts';
import { DAY_MS } from '../../durations.ts';
import type { LaterKind } from '../later/later.ts';

/** Taps of an account that may wait. */
const MAX_WAITING = 10_000;

/** Waiting taps of one phone, so that it cannot use up the account's limit. */
const MAX_OF_PHONE = 1_000;

/** What to announce once a tap is committed. */
export interface StartedTrigger {
	triggerId: string;
	deliveries: OutgoingDelivery[];
}

export const listens = (
	{ listens_until: until, tested_until: tested }: TriggerRow,
	now: number,
): boolean => Math.max(until, tested) > now;

/**
 * Keeps a tap for the listener of the button's trigger, in the write that records it: if several people tap at the
 * same time, even on different servers, one of them is the first.
 */
export async function startByTap(
	db: Db,
	{ context, device, tap }: { context: Context; device: Device; tap: TapRequest },
	{ historyId, button }: { historyId: string; button: StoredAction },
): Promise<{ kind: 'respond'; button: string; response: TapResponse; started?: StartedTrigger }> {
	const { id: deviceId, account_id: accountId, user_name: by, name } = device;
	const respond = (response: TapResponse, started?: StartedTrigger) => ({
		kind: 'respond' as const,
		button: button.title,
		response,
		...(started && { started }),
	});
	const { id = '', isEveryTap = false } = triggerOf(button) ?? {};
	const trigger = await findTrigger(db, accountId, id);
	if (!trigger) return respond({ outcome: 'failed', message: UNKNOWN_TRIGGER });
	const ofPhone = await countWaitingTaps(db, accountId, deviceId);
	if (ofPhone >= MAX_OF_PHONE || (await countWaitingTaps(db, accountId)) >= MAX_WAITING)
		return respond({ outcome: 'failed', message: TOO_MANY_TAPS });
	const now = context.now();
	const isHeard = listens(trigger, now);
	const message = isHeard ? startsNow(trigger.name) : waitsForListener(trigger.name);
	const { title } = button;
	const at = isoTime(now);
	const waits = !isHeard && { message };
	const answer: Answer = { button: title, by, device: name, at, ...waits, final: false };
	const number = trigger.taps + 1;
	await updateTrigger(db, accountId, id, { taps: number });
	const taken: TriggerTap = {
		tap_id: tap.tap_id,
		number,
		button: title,
		data: (button.type === 'webhook' && button.body) || {},
		by: { user: by, device: name },
		tapped_at: at,
		history_id: historyId,
	};
	await insertTriggerTap(db, {
		account_id: accountId,
		trigger_id: id,
		number,
		tap_id: tap.tap_id,
		device_id: deviceId,
		report_json: JSON.stringify(tap),
		tap_json: JSON.stringify(taken),
		is_waiting: isHeard ? 0 : 1,
		is_done: 0,
		created_at: now,
	});
	const answered = { device, tap, called: button, answer, ...(!isEveryTap && { first: answer }) };
	const deliveries = await storeAnswer(db, context, answered);
	const response = { outcome: 'called' as const, message, answer };
	return respond(response, { triggerId: id, deliveries });
}

/** After the commit: wakes the listener, and starts the deliveries to the phones. */
export function announceStart(context: Context, { triggerId, deliveries }: StartedTrigger): void {
	context.triggerWaits.changed(triggerId);
	// No response waits for the push services.
	void context.outbox.deliverNow(deliveries);
}

/**
 * Records the outcome of a tap that waited, and sends it to the phones: it was taken, or nothing has listened and its
 * button opens again. Phones that show another tap by now are not changed.
 * @param name of the trigger
 */
export async function settleTap(
	db: Db,
	context: Context,
	{ account_id: accountId, trigger_id: id, device_id, report_json, tap_json }: TriggerTapRow,
	name: string,
	{ isTaken }: { isTaken: boolean },
): Promise<OutgoingDelivery[]> {
	const device = { id: device_id, account_id: accountId };
	const report = JSON.parse(report_json) as TapRequest;
	const { button, by, tapped_at: at } = JSON.parse(tap_json) as TriggerTap;
	const message = isTaken ? startsNow(name) : nothingListened(name);
	const outcome = { outcome: isTaken ? 'called' : 'failed', message };
	await updateTap(db, device_id, report.tap_id, { outcome_json: JSON.stringify(outcome) });
	const tapped = await findTapTarget(db, device, report);
	const called = tapped?.button;
	if (!tapped || !called || triggerOf(called)?.id !== id || lastAnswer(tapped)?.at !== at)
		return [];
	const { user, device: phone } = by;
	const unheard = !isTaken && { message };
	const answer: Answer = { button, by: user, device: phone, at, ...unheard, final: false };
	const tap = { device, tap: report, called, answer };
	return storeAnswer(db, context, { ...tap, ...(!isTaken && { first: null }) });
}

/** How long a trigger without a listener is kept. */
const KEPT_MS = 30 * DAY_MS;

/** Ends the wait of taps to which nothing has listened for a day, and tells their phones. */
export const waitingTaps: LaterKind<TriggerTapRow> = {
	what: 'expiring waiting taps',
	rows: dueTaps,
	async handle(db, { context, accountId, rows }) {
		const deliveries: OutgoingDelivery[] = [];
		for (const tap of rows) {
			const trigger = await findTrigger(db, accountId, tap.trigger_id);
			if (tap.is_done === 1 || !trigger) continue;
			deliveries.push(...(await settleTap(db, context, tap, trigger.name, { isTaken: false })));
		}
		return { deliveries };
	},
};

/** Deletes triggers that have had no listener for 30 days. */
export async function deleteUnusedTriggers({ database, now }: Context) {
	await database.write(null, (db) => deleteTriggers(db, now() - KEPT_MS));
}
