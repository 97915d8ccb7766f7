import { activityById } from '../../store/activities/activities.ts';
import { registerActivityToken } from '../../store/activities/activity-devices.ts';
import { type Message, messageById } from '../../store/outbox/messages.ts';
import type { OutgoingDelivery } from '../../store/outbox/outbox.ts';
import type { Activity, Db } from '../../store/schema.ts';
import { loadMuted } from '../sending/audience.ts';
import type { Context } from '../context.ts';
import { activityNotOnDevice } from '../phones/dismissals.ts';
import type { Phone } from '../phones/pairing.ts';
import { messageUrgency } from '../quiet/urgency.ts';
import { activityLane, loadLanes } from '../sending/delivery-lanes.ts';
import { newDelivery, storeDeliveries } from '../sending/outgoing.ts';
import { toChannels } from '../shown/activity.ts';

/**
 * Stores an iOS device's token for an activity, and sends the update that waited for it.
 * @throws Refusal `not_found` when the activity was not started on this device
 */
export async function registerTokenOfActivity(
	context: Context,
	device: Phone,
	activityId: string,
	token: string,
): Promise<void> {
	const deliveries = await context.database.write(device.account_id, async (db) => {
		const registered = await registerActivityToken(db, activityId, device.id, token);
		if (!registered) throw activityNotOnDevice();
		const { queuedMessageId: id } = registered;
		const message = id === null ? undefined : await messageById(db, id);
		const activity = message && (await activityById(db, activityId));
		if (!activity) return [];
		return deliverQueued(db, context.now(), { activity, message, device: { ...device, token } });
	});
	await context.outbox.deliverNow(deliveries);
}

async function deliverQueued(
	db: Db,
	now: number,
	{
		activity,
		message,
		device,
	}: { activity: Activity; message: Message; device: Phone & { token: string } },
): Promise<OutgoingDelivery[]> {
	const accountId = activity.account_id;
	const slugs = toChannels(activity);
	const mutedBy = await loadMuted(db, [{ accountId, slugs }]);
	const urgency = messageUrgency(message);
	const muted = mutedBy(accountId, slugs);
	const delivery = newDelivery(message, device, { muted, urgency }, now);
	const lanes = await loadLanes(db, new Map([[activityLane(activity), new Set([device.id])]]), now);
	lanes.join(delivery);
	await storeDeliveries(db, [delivery], lanes);
	return [delivery];
}
