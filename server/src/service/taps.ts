import { setTimeout } from 'node:timers/promises';
import type { Action } from '../contract/actions.ts';
import type { TapRequest, TapResponse } from '../contract/device.ts';
import { WEBHOOK_LIMIT_MS } from '../delivery/webhooks.ts';
import { activityById } from '../store/activities.ts';
import { isOnDevice } from '../store/activity-devices.ts';
import { actionsOfDelivery } from '../store/inbox.ts';
import { fromJson } from '../store/json.ts';
import type { TapRow } from '../store/schema.ts';
import { recordTap, recordTapOutcome, tapOfDevice } from '../store/taps.ts';
import { actionsOf } from './activity-lifecycle.ts';
import { type Context, isoTime } from './context.ts';
import type { Phone } from './devices.ts';
import { Refusal } from './refusal.ts';

/** The button that was tapped. @throws Refusal `not_found` when the device shows no such button */
async function tappedAction(context: Context, device: Phone, tap: TapRequest): Promise<Action> {
	const db = context.database.read;
	let action: Action | undefined;
	if ('delivery_id' in tap) {
		const row = await actionsOfDelivery(db, device.id, tap.delivery_id);
		action = fromJson<Action[]>(row?.actions_json ?? null)?.[tap.action];
	} else if (await isOnDevice(db, tap.activity_id, device.id)) {
		const activity = await activityById(db, tap.activity_id);
		action = activity && actionsOf(activity)[tap.action];
	}
	if (!action)
		throw new Refusal(
			'not_found',
			'Button not found',
			'This phone shows no such button (any more).',
		);
	return action;
}

/** As n8n does for a question that needs no answer any more. */
const ANSWERED_WITH_A_PAGE =
	'The webhook answered with a web page: it may be done or over already.';

async function carryOut(
	context: Context,
	device: Phone,
	action: Action,
	tapId: string,
): Promise<TapResponse> {
	if (action.type === 'open_url')
		return { outcome: 'open', url: action.url, message: 'Open this URL.' };
	const result = await context.webhooks.call(device.account_id, action, {
		id: tapId,
		user: device.user_name,
		device: device.name,
		at: isoTime(context.now()),
	});
	if (result.kind === 'failed') return { outcome: 'failed', message: result.reason };
	const { status, isPage } = result;
	return status < 400
		? { outcome: 'called', status, message: isPage ? ANSWERED_WITH_A_PAGE : 'Done.' }
		: { outcome: 'failed', status, message: `The webhook answered with status ${status}.` };
}

/** How often it is looked for what became of a tap that this process does not carry out. */
const LOOK_EVERY_MS = 250;

/**
 * What became of a tap that was reported before. The webhook may still run at another server on the
 * same database, or that server was killed and nobody will ever know.
 */
async function outcomeOfEarlier(
	context: Context,
	earlier: TapRow,
	stopping: AbortSignal | undefined,
): Promise<TapResponse> {
	const { device_id: deviceId, id, created_at: recordedAt } = earlier;
	let outcome = earlier.outcome_json;
	// The looks are counted too: the clock of the server that recorded it may be ahead of this one's.
	for (let look = 0; outcome === null && look < WEBHOOK_LIMIT_MS / LOOK_EVERY_MS; look += 1) {
		if (stopping?.aborted || context.now() - recordedAt >= WEBHOOK_LIMIT_MS) break;
		await setTimeout(LOOK_EVERY_MS);
		outcome = (await tapOfDevice(context.database.read, deviceId, id))?.outcome_json ?? null;
	}
	return (
		fromJson<TapResponse>(outcome) ?? {
			outcome: 'failed',
			message:
				'This tap was reported before and its outcome is not known. Tap again to call the webhook again.',
		}
	);
}

async function outcomeOf(
	context: Context,
	device: Phone,
	tap: TapRequest,
	stopping: AbortSignal | undefined,
): Promise<TapResponse> {
	const { database } = context;
	// Before the button is looked for: what the webhook set off may have taken it away.
	const reported = await tapOfDevice(database.read, device.id, tap.tap_id);
	if (reported) return outcomeOfEarlier(context, reported, stopping);
	const action = await tappedAction(context, device, tap);
	const earlier = await database.write(device.account_id, (db) =>
		recordTap(db, {
			device_id: device.id,
			id: tap.tap_id,
			delivery_id: 'delivery_id' in tap ? tap.delivery_id : null,
			activity_id: 'activity_id' in tap ? tap.activity_id : null,
			action: String(tap.action),
			outcome_json: null,
			created_at: context.now(),
		}),
	);
	if (earlier) return outcomeOfEarlier(context, earlier, stopping);
	const outcome = await carryOut(context, device, action, tap.tap_id);
	await database.write(device.account_id, (db) =>
		recordTapOutcome(db, device.id, tap.tap_id, JSON.stringify(outcome)),
	);
	return outcome;
}

/** The reports that this process is about to answer, by device and tap. */
const underWay = new WeakMap<Context, Map<string, Promise<TapResponse>>>();

/**
 * A tap on a button. The server calls a webhook on the device's behalf (docs/api-decisions.md
 * "Webhooks"). A report that is repeated with the same `tap_id` calls nothing twice, and is answered
 * with the outcome of the first, for which it waits.
 * @param stopping aborted when the server stops: for what another server does is not waited then
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
	const outcome = outcomeOf(context, device, tap, stopping).finally(() => reports.delete(key));
	reports.set(key, outcome);
	return outcome;
}
