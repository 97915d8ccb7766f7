import type { TapRequest } from '../../contract/device.ts';
import type { Answer } from '../../contract/shown.ts';
import type { TriggerTap } from '../../contract/triggers.ts';
import type { OutgoingDelivery } from '../../store/outbox/outbox.ts';
import type { Db, TriggerTapRow } from '../../store/schema.ts';
import { recordTapOutcome } from '../../store/taps/taps.ts';
import type { Context } from '../context.ts';
import { triggerOf } from '../shown/buttons.ts';
import { storeAnswer } from '../taps/answer.ts';
import { answerTo, findTapped } from '../taps/tapped.ts';
import { nothingListened, startsNow } from '../taps/words.ts';

/**
 * Tells the phones what has become of a tap that waited: it was taken, or nothing has listened, and its button opens
 * again. Phones that show another tap by now are told nothing.
 * @param name of the trigger
 */
export async function changeTold(
	db: Db,
	context: Context,
	{ account_id: accountId, trigger_id: id, device_id, report_json, tap_json }: TriggerTapRow,
	name: string,
	isTaken = true,
): Promise<OutgoingDelivery[]> {
	const device = { id: device_id, account_id: accountId };
	const report = JSON.parse(report_json) as TapRequest;
	const { button, by, tapped_at: at } = JSON.parse(tap_json) as TriggerTap;
	const message = isTaken ? startsNow(name) : nothingListened(name);
	const outcome = { outcome: isTaken ? 'called' : 'failed', message };
	await recordTapOutcome(db, device_id, report.tap_id, JSON.stringify(outcome));
	const tapped = await findTapped(db, device, report);
	const called = tapped?.button;
	if (!tapped || !called || triggerOf(called)?.id !== id || answerTo(tapped)?.at !== at) return [];
	const answer: Answer = {
		button,
		by: by.user,
		device: by.device,
		at,
		...(!isTaken && { message }),
		final: false,
	};
	const tap = { device, tap: report, called, answer };
	return storeAnswer(db, context, { ...tap, ...(!isTaken && { first: null }) });
}
