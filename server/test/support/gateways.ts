import type { Gateway, Outcome } from '../../src/delivery/gateway.ts';
import type { OutgoingDelivery } from '../../src/store/outbox.ts';

/** A gateway in front of the live inbox whose behaviour the test sets, delivery by delivery. */
export class SteeredGateway implements Gateway {
	/** undefined: as the inbox does it. */
	answer: ((delivery: OutgoingDelivery) => Outcome | Promise<Outcome> | undefined) | undefined;
	maxOpen?: number;
	readonly seen: OutgoingDelivery[] = [];
	#inbox: Gateway | undefined;

	/** To be given to `startTestServer` as `gateway`. */
	readonly before = (inbox: Gateway): Gateway => {
		this.#inbox = inbox;
		return this;
	};

	async deliver(delivery: OutgoingDelivery): Promise<Outcome> {
		this.seen.push(delivery);
		const outcome = await this.answer?.(delivery);
		return outcome ?? this.#inbox!.deliver(delivery);
	}
}
