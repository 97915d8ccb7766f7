import type { Gateway, Outcome } from '../../src/delivery/gateway.ts';
import type { OutgoingDelivery } from '../../src/store/outbox/deliveries.ts';
import type { TestServer } from './server.ts';
import { waitFor } from './wait.ts';

/**
 * Waits until every attempt's outcome is stored. A request is answered before, and an immediate next
 * message in the same lane waits its turn.
 */
export async function outcomesRecorded({ context }: TestServer): Promise<void> {
	await waitFor('the outcomes to be recorded', async () => {
		const leased = await context.database.read
			.selectFrom('deliveries')
			.select('id')
			.where('leased_until', 'is not', null)
			.execute();
		return leased.length === 0;
	});
}

/** A gateway in front of that of the inbox; the test sets its behavior for each delivery. */
export class SteeredGateway implements Gateway {
	/** undefined: behaves like the inbox. */
	answer: ((delivery: OutgoingDelivery) => Outcome | Promise<Outcome> | undefined) | undefined;
	maxOpen?: number;
	readonly seen: OutgoingDelivery[] = [];
	#inbox: Gateway | undefined;

	/** For `startTestServer`, as `gateway`. */
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
