import type { OutgoingDelivery } from '../store/outbox/outbox.ts';
import type { MessageKind } from '../store/schema.ts';
import type { ApnsGateway } from './apns/gateway.ts';
import type { Gateway } from './gateway.ts';
import { inboxGateway, type LiveHub } from './live.ts';
import type { WebPushGateway } from './webpush/gateway.ts';

export interface RoutesOptions {
	live: LiveHub;
	/** Absent without APNs settings. */
	apns: ApnsGateway | undefined;
	webPush: WebPushGateway;
}

const isPush = (kind: MessageKind) => kind === 'push' || kind === 'push_update';

/**
 * Chooses the way to a device. The inbox is authoritative for every device: an open page is told to look there,
 * a closed page or app is reached by its push service, and a device with no registration finds the delivery
 * there on its next visit. So does a device that a push must not interrupt.
 */
export function chooseGateway({
	live,
	apns,
	webPush,
}: RoutesOptions): (delivery: OutgoingDelivery) => Gateway {
	const inbox = inboxGateway(live);
	return (delivery) => {
		const { device, message } = delivery;
		if ((delivery.isMuted || delivery.isHeld) && isPush(message.kind)) return inbox;
		if (apns?.reaches(delivery)) {
			live.inboxChanged(device.id);
			return apns;
		}
		const isClosed = device.platform === 'web' && !live.isConnected(device.id);
		if (!isClosed || device.push_subscription_json === null) return inbox;
		// The page may be open at another server, where it shows the content of its inbox.
		live.inboxChanged(device.id);
		return webPush;
	};
}
