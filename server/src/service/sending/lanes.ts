import type { InLane, OutgoingDelivery } from '../../store/outbox/outbox.ts';

interface Lane {
	/** Stored deliveries that are not being attempted and that a newer one replaces. */
	stale: number[];
	/** True while a delivery of the lane is being attempted or has to go first. */
	isHeld: boolean;
	/** The newest of the set, behind the one being attempted. */
	behind: OutgoingDelivery | undefined;
}

/**
 * The lanes of a set's devices, as the next delivery finds them. It replaces waiting deliveries and queues
 * behind one being attempted.
 */
export class Lanes {
	readonly #lanes = new Map<string, Lane>();
	/** Stored deliveries replaced by the set. */
	readonly replaced: number[] = [];
	/** Deliveries of the set replaced by a later one of the set. */
	readonly overtaken = new Set<OutgoingDelivery>();

	constructor(pending: readonly InLane[], now: number) {
		for (const { id, device_id, lane, leased_until: leasedUntil, replaceable } of pending) {
			const found = this.#laneOf(device_id, lane);
			const isAttempted = leasedUntil !== null && leasedUntil > now;
			if (replaceable === 1 && !isAttempted) found.stale.push(id);
			else found.isHeld = true;
		}
	}

	/** Adds a replaceable delivery; it loses its lease if another goes first. */
	join(delivery: OutgoingDelivery, lane: string): void {
		const found = this.#laneOf(delivery.device.id, lane);
		this.replaced.push(...found.stale);
		found.stale = [];
		if (found.behind) this.overtaken.add(found.behind);
		if (found.isHeld) {
			delivery.leasedUntil = null;
			found.behind = delivery;
		}
		found.isHeld = true;
	}

	#laneOf(deviceId: string, lane: string): Lane {
		const key = `${deviceId} ${lane}`;
		const found = this.#lanes.get(key) ?? { stale: [], isHeld: false, behind: undefined };
		this.#lanes.set(key, found);
		return found;
	}
}
