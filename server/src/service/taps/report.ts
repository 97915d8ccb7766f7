import { setTimeout } from 'node:timers/promises';
import type { TapRequest, TapResponse } from '../../contract/device.ts';
import type { Answer } from '../../contract/shown.ts';
import { fromJson } from '../../store/json.ts';
import { endRepeats } from '../../store/outbox/repeats.ts';
import type { Db, TapRow } from '../../store/schema.ts';
import {
	hasTapUnderWay,
	recordTap,
	recordTapOutcome,
	tapOfDevice,
} from '../../store/history/taps.ts';
import type { StoredAction } from '../sending/buttons.ts';
import { type Context, isoTime } from '../context.ts';
import type { Phone } from '../phones/pairing.ts';
import { storeAnswer } from './answer.ts';
import { decideTap, type TapDecision } from './decide.ts';
import { answerTo, findTapped } from './tapped.ts';
import { BUSY, describeResult, NEVER_KNOWN } from './words.ts';

/**
 * Milliseconds a tap blocks others on its push or Live Activity. A webhook has 10 seconds: if a tap has no
 * outcome after this time, its server was killed.
 */
const CLAIM_MS = 15_000;

/** Milliseconds a tap waits for its turn: long enough for a slow webhook and a crashed one before it. */
const TURN_LIMIT_MS = 30_000;

/** Interval between checks for the outcome of another tap or another server. */
const LOOK_EVERY_MS = 250;

/** Everything needed to handle one report. */
interface Reported {
	context: Context;
	device: Phone;
	tap: TapRequest;
	/** Aborted when the server stops: ends the wait for other taps. */
	stopping: AbortSignal | undefined;
}

/** Reads what is known about the tap, decides, and records it unless it repeats another or has to wait. */
async function decideAndRecord(db: Db, { context, device, tap }: Reported): Promise<TapDecision> {
	const now = context.now();
	const earlier = await tapOfDevice(db, device.id, tap.tap_id);
	const tapped = earlier ? undefined : await findTapped(db, device, tap);
	if (tapped && 'delivery_id' in tap) await endRepeats(db, device.id, [tap.delivery_id], now);
	const decision = decideTap({
		earlier,
		button: tapped?.button,
		answer: tapped && answerTo(tapped),
		isUnderWay: tapped ? await hasTapUnderWay(db, tapped.historyId, now - CLAIM_MS) : false,
	});
	if (!tapped || decision.kind === 'repeat' || decision.kind === 'wait') return decision;
	const isSettled = decision.kind === 'answer';
	await recordTap(db, {
		device_id: device.id,
		id: tap.tap_id,
		history_id: tapped.historyId,
		user_name: device.user_name,
		device_name: device.name,
		button: isSettled ? decision.button : decision.button.title,
		outcome_json: isSettled ? JSON.stringify(decision.response) : null,
		created_at: now,
	});
	return decision;
}

async function isItsTurn({ context, device, tap }: Reported): Promise<boolean> {
	const db = context.database.read;
	const tapped = await findTapped(db, device, tap);
	return !tapped || !(await hasTapUnderWay(db, tapped.historyId, context.now() - CLAIM_MS));
}

/** Waits until no other tap on the entry is being handled, then decides. */
async function decideInTurn(reported: Reported): Promise<TapDecision> {
	const { context, device, stopping } = reported;
	let looks = TURN_LIMIT_MS / LOOK_EVERY_MS;
	for (;;) {
		const decision = await context.database.write(device.account_id, (db) =>
			decideAndRecord(db, reported),
		);
		if (decision.kind !== 'wait') return decision;
		do {
			if (looks <= 0 || stopping?.aborted) return decision;
			looks -= 1;
			await setTimeout(LOOK_EVERY_MS);
		} while (!(await isItsTurn(reported)));
	}
}

/** Calls the webhook, records the outcome, and tells the phones. */
async function carryOut(
	{ context, device, tap }: Reported,
	called: StoredAction,
): Promise<TapResponse> {
	if (called.type !== 'webhook') throw new Error('Only a webhook is called');
	const { account_id: accountId, user_name: user, name } = device;
	const at = isoTime(context.now());
	const result = await context.webhooks.call(accountId, called, {
		id: tap.tap_id,
		user,
		device: name,
		at,
	});
	const told = describeResult(result);
	const answer: Answer | undefined =
		told.outcome === 'called' && result.kind === 'answered'
			? {
					button: called.title,
					by: user,
					device: name,
					at,
					...(result.message !== undefined && { message: result.message }),
					final: result.final === true,
				}
			: undefined;
	const response: TapResponse = { ...told, ...(answer && { answer }) };
	const deliveries = await context.database.write(accountId, async (db) => {
		await recordTapOutcome(db, device.id, tap.tap_id, JSON.stringify(response));
		return answer ? storeAnswer(db, context, { device, tap, called, answer }) : [];
	});
	// The response does not wait for the push services of the other phones.
	void context.outbox.deliverNow(deliveries);
	return response;
}

/**
 * The outcome of a tap reported before. The webhook may still be running on another server with the same
 * database, or that server was killed and the outcome will never be known.
 */
async function awaitEarlierOutcome(
	{ context, stopping }: Reported,
	earlier: TapRow,
): Promise<TapResponse> {
	const { device_id: deviceId, id, created_at: recordedAt } = earlier;
	let outcome = earlier.outcome_json;
	// The checks are counted too: the clock of the recording server may be ahead of this one's.
	for (let look = 0; outcome === null && look < CLAIM_MS / LOOK_EVERY_MS; look += 1) {
		if (stopping?.aborted || context.now() - recordedAt >= CLAIM_MS) break;
		await setTimeout(LOOK_EVERY_MS);
		outcome = (await tapOfDevice(context.database.read, deviceId, id))?.outcome_json ?? null;
	}
	return fromJson<TapResponse>(outcome) ?? { outcome: 'failed', message: NEVER_KNOWN };
}

async function handleReport(reported: Reported): Promise<TapResponse> {
	const { context, device, tap } = reported;
	// Read before writing: most repeated reports arrive after the first has finished.
	const reportedBefore = await tapOfDevice(context.database.read, device.id, tap.tap_id);
	if (reportedBefore) return awaitEarlierOutcome(reported, reportedBefore);
	const decision = await decideInTurn(reported);
	switch (decision.kind) {
		case 'repeat':
			return awaitEarlierOutcome(reported, decision.earlier);
		case 'answer':
			return decision.response;
		case 'wait':
			return { outcome: 'failed', message: BUSY };
		case 'call':
			return carryOut(reported, decision.button);
	}
}

/** The reports this process is handling, by device and tap. */
const underWay = new WeakMap<Context, Map<string, Promise<TapResponse>>>();

/**
 * Handles a tap on a button. The server calls webhooks on the device's behalf, those of one push or Live
 * Activity in turn (docs/api-decisions.md "Webhooks"). A report repeated with the same `tap_id` calls
 * nothing twice: it waits for the outcome of the first and returns it.
 * @param stopping aborted when the server stops, which ends the wait for other taps
 * @throws Refusal `not_found`
 */
export function reportTap(
	context: Context,
	device: Phone,
	tap: TapRequest,
	stopping?: AbortSignal,
): Promise<TapResponse> {
	const reports = underWay.get(context) ?? new Map<string, Promise<TapResponse>>();
	underWay.set(context, reports);
	const key = `${device.id} ${tap.tap_id}`;
	const first = reports.get(key);
	if (first) return first;
	const outcome = handleReport({ context, device, tap, stopping }).finally(() =>
		reports.delete(key),
	);
	reports.set(key, outcome);
	return outcome;
}
