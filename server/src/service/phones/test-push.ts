import { setTimeout } from 'node:timers/promises';
import { DELIVERY_STATES } from '../../contract/delivery-states.ts';
import { deliveryById, type DeliveryOutcome } from '../../store/outbox/outcomes.ts';
import type { DeviceRow } from '../../store/schema.ts';
import { type ActingContext, record } from '../audit.ts';
import type { Context } from '../context.ts';
import { pushUrgency } from '../quiet/rules.ts';
import { conflict } from '../refusal.ts';
import { requireDeviceById, pushProblem } from './devices.ts';
import { attempt, storeServerPushes, toServerPush } from '../sending/outgoing.ts';

/** Milliseconds to wait for the phone's acknowledgement, and between two checks for it. */
const ACKNOWLEDGE_WAIT_MS = 2_000;
const POLL_EVERY_MS = 100;

const TEST_PUSH = toServerPush('It works', 'This is a test of your notifications.');

/**
 * Sends one push to one phone, regardless of its channels, and briefly waits for the acknowledgement.
 * @throws Refusal `not_found`, or `conflict` for a disconnected phone
 */
export async function sendTestPush(context: ActingContext, accountId: string, deviceId: string) {
	const { device, sent } = await context.database.write(accountId, async (db) => {
		const device = await requireDeviceById(db, accountId, deviceId);
		if (device.status !== 'active')
			throw conflict('Disconnected', 'This phone is disconnected. Pair it again.');
		await record(db, context, accountId, 'test_push_sent', device.name);
		const entry = { accountId, title: TEST_PUSH.title, now: context.now() };
		const push = { devices: [device], urgency: pushUrgency(TEST_PUSH) };
		const sent = await storeServerPushes(db, entry, [
			{ content_json: JSON.stringify(TEST_PUSH), ...push },
		]);
		return { device, sent };
	});
	await attempt(context, sent);
	const delivery = sent[0]?.deliveries[0];
	if (!delivery) throw new Error('A push to one device has no delivery');
	const outcome = await outcomeAfterAWhile(context, delivery.id);
	if (delivery.isHeld && outcome.state === 'stored')
		return { state: outcome.state, message: 'Held back: this phone is quiet now.' };
	return { state: outcome.state, message: inWords(context, device, outcome) };
}

async function outcomeAfterAWhile(context: Context, id: number): Promise<DeliveryOutcome> {
	for (let waited = 0; ; waited += POLL_EVERY_MS) {
		const outcome = await deliveryById(context.database.read, id);
		const isOver = outcome.state === 'received' || outcome.state === 'failed';
		if (isOver || waited >= ACKNOWLEDGE_WAIT_MS) return outcome;
		await setTimeout(POLL_EVERY_MS);
	}
}

function inWords(context: Context, device: DeviceRow, outcome: DeliveryOutcome): string {
	const { state, last_error: error } = outcome;
	const words = DELIVERY_STATES[state];
	const status = `${words.charAt(0).toUpperCase()}${words.slice(1)}`;
	switch (state) {
		case 'received':
			return `${status}: the phone has acknowledged it.`;
		case 'handed_over':
			return `${status}. The phone has not acknowledged it yet.`;
		case 'stored':
			return [`${status}.`, pushProblem(context, device)].filter(Boolean).join(' ');
		case 'pending':
			return error === null ? `${status}.` : `${status}: ${error}. The server will retry.`;
		default:
			return error === null ? `${status}.` : `${status}: ${error}.`;
	}
}
