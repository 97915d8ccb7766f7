import type { OutgoingDelivery } from '../store/outbox/deliveries.ts';

type InLane = Pick<OutgoingDelivery, 'device' | 'message'>;

/** Lanes with a delivery under way for which others may wait, here or in another process. */
export class BlockedLanes {
	readonly #limitMs: number;
	/** When each lane was last added, the oldest first. */
	readonly #since = new Map<string, number>();

	/** @param limitMs after which a lane is dropped: by then its delivery is settled, or is claimed and added again */
	constructor(limitMs: number) {
		this.#limitMs = limitMs;
	}

	get size(): number {
		for (const [lane, since] of this.#since) {
			if (performance.now() - since <= this.#limitMs) break;
			this.#since.delete(lane);
		}
		return this.#since.size;
	}

	add(deliveries: readonly InLane[]): void {
		for (const lane of deliveries.map(keyOf)) {
			this.#since.delete(lane);
			this.#since.set(lane, performance.now());
		}
	}

	/** @returns whether another delivery may have waited for this one */
	settle(delivery: InLane): boolean {
		return this.#since.delete(keyOf(delivery));
	}

	clear(): void {
		this.#since.clear();
	}
}

function keyOf({ device, message }: InLane): string {
	return `${device.id} ${message.lane ?? ''}`;
}
