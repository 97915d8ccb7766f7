import type { OutgoingDelivery } from '../../store/outbox/outbox.ts';
import { markHeld } from '../../store/outbox/outbox-outcomes.ts';
import { planSummaries } from '../../store/phones/quiet-summaries.ts';
import type { Db } from '../../store/schema.ts';
import { toSummaries } from './outgoing.ts';
import { heldOn } from '../quiet/rules.ts';
import { messageUrgency } from '../quiet/urgency.ts';

/**
 * Holds back deliveries to phones that became quiet after the first attempt, and plans their summaries
 * (docs/device-protocol.md "Quiet").
 * @param claimed deliveries about to be attempted again
 * @param now milliseconds since 1970
 * @returns all of them
 */
export async function holdBackClaimed(
	db: Db,
	claimed: readonly OutgoingDelivery[],
	now: number,
): Promise<OutgoingDelivery[]> {
	const deliveries = claimed.map((delivery): OutgoingDelivery => {
		const { device, message, isMuted, isHeld } = delivery;
		if (isMuted || isHeld || device.quiet_json === null) return delivery;
		const held = heldOn(device, messageUrgency(message), now);
		return held ? { ...delivery, isHeld: true, heldUntil: held.until } : delivery;
	});
	const held = deliveries.filter((delivery, index) => delivery !== claimed[index]);
	await markHeld(db, held);
	await planSummaries(db, toSummaries(held));
	return deliveries;
}
