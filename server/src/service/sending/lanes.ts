import type { InLane, OutgoingDelivery } from '../../store/outbox/outbox.ts';

interface Lane {
	/** Stored deliveries that nobody attempts and that a newer one replaces. */
	stale: number[];
	/** Something of the lane is attempted now, or goes first. */
	isHeld: boolean;
	/** The newest of the set, behind the one that is attempted. */
	behind: OutgoingDelivery | undefined;
}

/**
 * What waits in the lanes of the devices of a set, as the next delivery finds it: the newest replaces
 * what waits, and goes behind what is attempted.
 */
export class Lanes {
	readonly #lanes = new Map<string, Lane>();
	/** Stored deliveries that the set replaces. */
	readonly replaced: number[] = [];
	/** Deliveries of the set that a later one of it replaces. */
	readonly overtaken = new Set<OutgoingDelivery>();

	constructor(pending: readonly InLane[], now: number) {
		for (const { id, device_id, lane, leased_until: leasedUntil, replaceable } of pending) {
			const found = this.#laneOf(device_id, lane);
			const isAttempted = leasedUntil !== null && leasedUntil > now;
			if (replaceable === 1 && !isAttempted) found.stale.push(id);
			else found.isHeld = true;
		}
	}

	/** Takes a delivery that may be replaced; its lease is taken from it when another goes first. */
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
