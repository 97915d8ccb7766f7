import type { DeliveryDevice, OutgoingDelivery } from '../store/outbox/outbox.ts';
import type { Notification } from '../contract/shown.ts';
import { ATTEMPT_LIMIT_MS } from './gateway.ts';

const TRIAL: Notification = {
	title: 'Beckon works',
	message: 'This test came through the push service.',
	interruption_level: 'active',
	sound: 'default',
};

/** A push that is in no inbox, to test a gateway with. */
export function testDelivery(device: DeliveryDevice, now: number): OutgoingDelivery {
	return {
		id: 0,
		attempts: 0,
		leasedUntil: now + ATTEMPT_LIMIT_MS,
		message: {
			id: 0,
			account_id: '',
			history_id: 'test',
			kind: 'push',
			content_json: JSON.stringify(TRIAL),
			lane: null,
			created_at: now,
		},
		device,
		isMuted: false,
		isHeld: false,
	};
}
