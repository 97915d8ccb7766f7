import type { Action } from '../contract/actions.ts';
import type { TapRequest, TapResponse } from '../contract/device.ts';
import { activityById } from '../store/activities.ts';
import { isOnDevice } from '../store/activity-devices.ts';
import { actionsOfDelivery } from '../store/inbox.ts';
import { fromJson } from '../store/json.ts';
import { recordTap, recordTapOutcome } from '../store/taps.ts';
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

/**
 * A tap on a button. The server calls a webhook on the device's behalf (decisions.md "Webhook
 * actions"). A report that is repeated with the same `tap_id` calls nothing twice.
 * @throws Refusal `not_found`
 */
export async function reportTap(
	context: Context,
	device: Phone,
	tap: TapRequest,
): Promise<TapResponse> {
	const action = await tappedAction(context, device, tap);
	const earlier = await context.database.write(device.account_id, (db) =>
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
	if (earlier) {
		return (
			fromJson<TapResponse>(earlier.outcome_json) ?? {
				outcome: 'failed',
				message:
					'This tap was reported before and its outcome is not known. Tap again to call the webhook again.',
			}
		);
	}
	const outcome = await carryOut(context, device, action, tap.tap_id);
	await context.database.write(device.account_id, (db) =>
		recordTapOutcome(db, device.id, tap.tap_id, JSON.stringify(outcome)),
	);
	return outcome;
}
