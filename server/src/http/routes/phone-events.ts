import { shownNotifications } from '../../service/phones/dismissals.ts';
import type { Context } from '../../service/context.ts';
import { readInbox } from '../../service/phones/inbox.ts';
import { isPaired, type Device } from '../../service/phones/pairing.ts';
import { listAccountMetrics } from '../../service/metrics.ts';
import type { PhoneChange } from '../../open-pages.ts';
import type { EventFeed, EventStream } from '../sse.ts';

/** Silence after which a comment is sent, so both ends notice a dead connection. */
const HEARTBEAT_MS = 15_000;

/** Even without changes, a phone is checked this often, in case an announcement was lost. */
const RECHECK_MS = 120_000;

const DELIVERIES_AT_ONCE = 100;

export const PHONE_STREAMS = {
	silenceMs: HEARTBEAT_MS,
	heartbeat: ': alive\n\n',
	askAfterMs: RECHECK_MS,
};

function frame(event: string, data: unknown, id?: number): string {
	return `${id === undefined ? '' : `id: ${id}\n`}event: ${event}\ndata: ${JSON.stringify(data)}\n\n`;
}

/**
 * Events of one phone: first those missed since the cursor, then new ones. Announcements only say when to read;
 * the content comes from the store.
 */
export class PhoneEvents implements EventFeed {
	readonly goodbye = frame('bye', {});
	readonly #context: Context;
	readonly #device: Device;
	/** The last delivery sent to the phone. */
	#cursor: number;
	/** Changes since the last read, merged into one. */
	#change: PhoneChange | undefined = 'all';
	#hasCaughtUp = false;
	/** True if something may have been dismissed or restored: on another page or phone, or before this one connected. */
	#hasDismissals = true;
	/** Metrics as last sent, by key. */
	#metrics: Map<string, string> | undefined;
	#unfollow: (() => void) | undefined;

	constructor(context: Context, device: Device, cursor: number) {
		this.#context = context;
		this.#device = device;
		this.#cursor = cursor;
	}

	async writeNews(stream: EventStream): Promise<boolean> {
		if (!this.#unfollow) {
			const { id: deviceId, account_id: accountId } = this.#device;
			const notify = (change: PhoneChange) => {
				this.#add(change);
				stream.wake();
			};
			this.#unfollow = this.#context.openPages.subscribe({ deviceId, accountId, notify });
			// The headers leave with the first byte: without it, a phone with nothing to receive would learn
			// only from the first heartbeat that it is connected.
			await stream.write(': connected\n\n');
		}
		const change = this.#change;
		this.#change = undefined;
		if (!(await isPaired(this.#context, this.#device))) return false;
		if (change !== 'metrics') await this.#writeDeliveries(stream);
		if (this.#hasDismissals) await this.#writeShown(stream);
		if (change === 'metrics' || change === 'all') await this.#writeMetrics(stream);
		return true;
	}

	closed(): void {
		this.#unfollow?.();
	}

	#add(change: PhoneChange): void {
		if (change === 'dismissals' || change === 'all') this.#hasDismissals = true;
		if (change === 'dismissals') return;
		this.#change = this.#change === undefined || this.#change === change ? change : 'all';
	}

	async #writeDeliveries(stream: EventStream): Promise<void> {
		for (let more = true; more && !stream.isOver;) {
			const read = () =>
				readInbox(this.#context, this.#device, { after: this.#cursor, limit: DELIVERIES_AT_ONCE });
			// A phone can ask for everything it ever got; one that has caught up gets news immediately.
			if (!this.#hasCaughtUp) stream.yieldTurn();
			const { database } = this.#context;
			const inbox = await (this.#hasCaughtUp ? read() : database.readInTurn(read));
			for (const delivery of inbox.deliveries) {
				await stream.write(frame('delivery', delivery, delivery.id));
				this.#cursor = delivery.id;
			}
			({ more } = inbox);
			this.#hasCaughtUp = !more;
		}
	}

	async #writeShown(stream: EventStream): Promise<void> {
		this.#hasDismissals = false;
		// Every phone that connects asks for it: after a restart, thousands at once.
		const read = () => shownNotifications(this.#context, this.#device);
		const shown = await this.#context.database.readInTurn(read);
		await stream.write(frame('notifications', shown));
	}

	async #writeMetrics(stream: EventStream): Promise<void> {
		for (const metric of await listAccountMetrics(this.#context, this.#device.account_id)) {
			const data = JSON.stringify(metric);
			this.#metrics ??= new Map();
			if (this.#metrics.get(metric.key) === data) continue;
			this.#metrics.set(metric.key, data);
			await stream.write(frame('metric', metric));
		}
	}
}
