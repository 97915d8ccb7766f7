import {
	type InLane,
	isReplaceable,
	lockLanes,
	type OutgoingDelivery,
} from '../../store/outbox/deliveries.ts';
import type { Message } from '../../store/outbox/messages.ts';
import type { ActivityRow, Db } from '../../store/schema.ts';

/** The lane of badges: a device receives them in order. */
export const BADGE_LANE = 'badge';

/** A stream's activities share a lane, so the next one starts after the previous one has ended. */
export function activityLane({
	id,
	stream_key: key,
}: Pick<ActivityRow, 'id' | 'stream_key'>): string {
	return key === null ? `activity:${id}` : `stream:${key}`;
}

interface Lane {
	/** Stored deliveries that are not being attempted and that a newer one replaces. */
	stale: InLane[];
	/** True while a delivery of the lane is being attempted or must go first. */
	isBlocked: boolean;
	/** Deliveries of the set that queue behind others, until a newer one replaces them. */
	behind: OutgoingDelivery[];
}

/**
 * The lanes of a set's devices, as the next delivery finds them. Within a lane the newest wins: it replaces
 * waiting deliveries that it makes obsolete, and queues behind those being attempted or not replaceable.
 */
export class Lanes {
	readonly #lanes = new Map<string, Lane>();
	/** Stored deliveries replaced by the set. */
	readonly replaced: number[] = [];
	/** Deliveries of the set replaced by a later one of the set. */
	readonly overtaken = new Set<OutgoingDelivery>();

	/** @param pending the deliveries that wait in the lanes */
	constructor(pending: readonly InLane[], now: number) {
		for (const delivery of pending) {
			const found = this.#laneOf(delivery.device_id, delivery.lane);
			const { leased_until: leasedUntil, replaceable } = delivery;
			const isAttempted = leasedUntil !== null && leasedUntil > now;
			if (replaceable === 1 && !isAttempted) found.stale.push(delivery);
			else found.isBlocked = true;
		}
	}

	/** Adds a delivery, in the order of the messages; it loses its lease if another goes first. */
	join(delivery: OutgoingDelivery): void {
		const { message, device } = delivery;
		if (message.lane === null) return;
		const found = this.#laneOf(device.id, message.lane);
		if (message.kind !== 'activity_start') this.#replaceIn(found, message);
		if (found.isBlocked || found.stale.length > 0) {
			delivery.leasedUntil = null;
			if (isReplaceable(message)) found.behind.push(delivery);
		}
		found.isBlocked = true;
	}

	/** A message that waited for its activity's token may join after newer ones, which stay. */
	#replaceIn(found: Lane, { id }: Message): void {
		const isOlder = (stale: InLane) => id === 0 || stale.message_id < id;
		this.replaced.push(...found.stale.filter(isOlder).map((stale) => stale.id));
		found.stale = found.stale.filter((stale) => !isOlder(stale));
		for (const delivery of found.behind.splice(0)) this.overtaken.add(delivery);
	}

	#laneOf(deviceId: string, lane: string): Lane {
		const key = `${deviceId} ${lane}`;
		const found = this.#lanes.get(key) ?? { stale: [], isBlocked: false, behind: [] };
		this.#lanes.set(key, found);
		return found;
	}
}

/** Loads the lanes of deliveries. */
export async function loadLanes(db: Db, deliveries: readonly OutgoingDelivery[], now: number) {
	const lanes = new Map<string, Parameters<typeof lockLanes>[1][number]>();
	for (const { message, device } of deliveries) {
		const { lane } = message;
		if (lane !== null) lanes.set(`${device.id} ${lane}`, { device_id: device.id, lane });
	}
	return new Lanes(await lockLanes(db, [...lanes.values()]), now);
}
