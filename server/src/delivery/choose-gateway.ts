import type { PushSubscription } from '../contract/device.ts';
import type { OutgoingDelivery } from '../store/outbox/deliveries.ts';
import type { MessageKind } from '../store/schema.ts';
import type { ApnsGateway } from './apns/gateway.ts';
import { BoundedMap } from '../collections.ts';
import { type Gateway, STORED, TOLD } from './gateway.ts';
import type { OpenPages } from '../open-pages.ts';
import { isClearing } from './message-content.ts';
import { isAppleSubscription } from './webpush/apple.ts';
import type { WebPushGateway } from './webpush/gateway.ts';

/** The push services the server may call. */
export interface Gateways {
	/** Absent without APNs settings. */
	apns: ApnsGateway | undefined;
	webPush: WebPushGateway;
}

const isAppleDevice = ({ platform, push_subscription_json: json }: OutgoingDelivery['device']) =>
	platform === 'ios' ||
	(json !== null && isAppleSubscription(JSON.parse(json) as PushSubscription));

/** Maximum deliveries and phones remembered. */
const REMEMBERED = 50_000;

/** Milliseconds for which a page that has missed a delivery counts as closed. It replaces a dead stream by then. */
const MISSED_MS = 30_000;

const isPush = (kind: MessageKind) => kind === 'push' || kind === 'push_update';

/**
 * Chooses the way to a device. The inbox is authoritative for every device: an open page is told to read it, a closed
 * page or app is reached through its push service, and a device without a registration finds the delivery there on its
 * next visit. A device that the push must not interrupt finds it only there. An open stream proves nothing, as its
 * network may be gone: what the page does not acknowledge goes to the push service.
 */
export function chooseGateway(
	openPages: OpenPages,
	{ apns, webPush }: Gateways,
	now: () => number,
): (delivery: OutgoingDelivery) => Gateway {
	const inbox = inboxGateway(openPages);
	const page = inboxGateway(openPages, TOLD);
	/** Deliveries that open pages were told of, until their push services follow. */
	const told = new BoundedMap<number, true>(REMEMBERED);
	/** When a page missed a delivery, by phone. */
	const missedAt = new BoundedMap<string, number>(REMEMBERED);
	return (delivery) => {
		const { device, message } = delivery;
		if ((delivery.isMuted || delivery.isHeld) && isPush(message.kind)) return inbox;
		// Apple's services show whatever they bring.
		if (isClearing(message) && isAppleDevice(device)) return inbox;
		if (apns?.reaches(delivery)) {
			openPages.inboxChanged(device.id);
			return apns;
		}
		const isReached = device.platform === 'web' && device.push_subscription_json !== null;
		if (!isReached || message.kind === 'badge') return inbox;
		if (told.delete(delivery.id)) missedAt.set(device.id, now());
		const isMissing = now() - (missedAt.get(device.id) ?? -Infinity) < MISSED_MS;
		if (openPages.isConnected(device.id) && !isMissing) {
			told.set(delivery.id, true);
			return page;
		}
		// The page may be open at another server, where it shows the content of its inbox.
		openPages.inboxChanged(device.id);
		return webPush;
	};
}

/** Delivery to an open page: the stored inbox is the delivery; a connected phone reads it immediately. */
export function inboxGateway(openPages: OpenPages, outcome = STORED): Gateway {
	return {
		deliver({ device }) {
			openPages.inboxChanged(device.id);
			return Promise.resolve(outcome);
		},
	};
}
