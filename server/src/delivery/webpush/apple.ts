import { BoundedMap } from '../../collections.ts';
import type { PushSubscription } from '../../contract/device.ts';
import { MINUTE_MS } from '../../durations.ts';
import type { Database } from '../../store/database.ts';
import { lastHandedOver, type OutgoingDelivery } from '../../store/outbox/deliveries.ts';
import type { MessageContent } from '../message-content.ts';

/** Shortest time between two notifications of a Live Activity, unless the later one is more important. */
const UPDATE_EVERY_MS = 10 * MINUTE_MS;

/** Why a delivery waits. */
export const WAITS = 'iOS shows each update as a new notification, so it gets one in ten minutes';

/** Live Activities of phones whose last notification is remembered. */
const REMEMBERED = 10_000;

/** True for a browser on an Apple device. */
export function isAppleSubscription({ endpoint }: PushSubscription): boolean {
	return new URL(endpoint).hostname === 'web.push.apple.com';
}

/**
 * Limits notifications on iOS: Safari shows whatever arrives as a new notification, with a sound, and revokes the
 * permission of a page that shows none. A change of a Live Activity that asks for no attention goes there at most
 * once in ten minutes; starts, alerts, answers and ends always do.
 */
export class AppleUpdates {
	readonly #database: Database;
	readonly #now: () => number;
	/** Milliseconds since 1970, by phone and activity. */
	readonly #sentAt = new BoundedMap<string, number>(REMEMBERED);

	constructor(database: Database, now: () => number) {
		this.#database = database;
		this.#now = now;
	}

	/** Milliseconds for which the delivery must still wait. */
	async wait(delivery: OutgoingDelivery, content: MessageContent): Promise<number> {
		if (content.kind !== 'activity_update' || content.alert) return 0;
		const sentAt = await this.#lastSent(delivery);
		const { answer } = content.activity;
		if (answer && Date.parse(answer.at) > sentAt) return 0;
		return Math.max(0, sentAt + UPDATE_EVERY_MS - this.#now());
	}

	/** Remembers that the delivery was handed over now. */
	sent(delivery: OutgoingDelivery): void {
		this.#sentAt.set(keyOf(delivery), this.#now());
	}

	/** The last notification of the activity on the phone, which another server may have sent. */
	async #lastSent(delivery: OutgoingDelivery): Promise<number> {
		const key = keyOf(delivery);
		const now = this.#now();
		const remembered = this.#sentAt.get(key) ?? 0;
		if (remembered + UPDATE_EVERY_MS > now) return remembered;
		// One that had to wait was created up to this much before it was sent.
		const since = now - 2 * UPDATE_EVERY_MS;
		const sentAt = (await lastHandedOver(this.#database.read, delivery, since)) ?? 0;
		this.#sentAt.set(key, sentAt);
		return sentAt;
	}
}

function keyOf({ device, message }: OutgoingDelivery): string {
	return `${device.id} ${message.history_id}`;
}
