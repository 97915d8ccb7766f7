import type { Delivery, Snapshot } from '../../src/contract/device.ts';
import { type DeviceClient, isDisconnected } from './device-client.ts';
import { followEvents, retryDelay, type StreamOptions } from './event-stream.ts';

/** `offline`: the server has not been reached since the page was opened. */
export type Connection = 'connecting' | 'live' | 'reconnecting' | 'offline';

export interface SessionHandlers extends Pick<
	StreamOptions,
	'onDelivery' | 'onMetric' | 'onShown' | 'onWake'
> {
	onSnapshot: (snapshot: Snapshot) => void;
	onConnection: (connection: Connection) => void;
	/** The server no longer knows this phone's token. */
	onDisconnected: () => void;
}

const ACKNOWLEDGE_AFTER = 250;
const ACKNOWLEDGE_RETRY = 5_000;
const MAX_ACKNOWLEDGED = 500;

/**
 * Runs a paired phone: the snapshot, then the events after it, until stopped.
 * @returns a function that stops it
 */
export function startSession(client: DeviceClient, handlers: SessionHandlers): () => void {
	const stop = new AbortController();
	run(client, handlers, stop.signal).catch((error: unknown) => {
		if (stop.signal.aborted) return;
		if (isDisconnected(error)) handlers.onDisconnected();
		else console.error('Beckon: the session stopped', error);
	});
	return () => stop.abort();
}

async function run(
	client: DeviceClient,
	handlers: SessionHandlers,
	signal: AbortSignal,
): Promise<void> {
	handlers.onConnection('connecting');
	const snapshot = await firstSnapshot(client, handlers, signal);
	if (snapshot === undefined) return;
	let cursor = snapshot.cursor;
	const acknowledge = acknowledger(client, signal);
	handlers.onSnapshot(snapshot);
	[...snapshot.notifications, ...snapshot.questions].forEach(({ id }) => acknowledge(id));
	const onDelivery = (delivery: Delivery) => {
		handlers.onDelivery(delivery);
		cursor = Math.max(cursor, delivery.id);
		// A repeated delivery is acknowledged again: the server has not recorded it yet.
		acknowledge(delivery.id);
	};
	/** Asks for deliveries that a proxy may hold back. */
	const ask = async () => {
		for (let more = true; more && !signal.aborted;) {
			const inbox = await client.call('GET /inbox', { after: cursor });
			inbox.deliveries.forEach(onDelivery);
			({ more } = inbox);
		}
	};

	await followEvents({
		...handlers,
		open: client.openEvents,
		after: () => cursor,
		onConnected: () => handlers.onConnection('live'),
		onLost: () => handlers.onConnection('reconnecting'),
		// If the server cannot be reached, the next connection brings it.
		onSilent: () => void ask().catch(() => undefined),
		onDelivery,
		signal,
	});
}

async function firstSnapshot(
	client: DeviceClient,
	handlers: SessionHandlers,
	signal: AbortSignal,
): Promise<Snapshot | undefined> {
	for (let failures = 0; !signal.aborted; failures += 1) {
		try {
			const snapshot = await client.call('GET /snapshot');
			return signal.aborted ? undefined : snapshot;
		} catch (error) {
			if (isDisconnected(error)) throw error;
			handlers.onConnection('offline');
			await new Promise((resolve) => setTimeout(resolve, retryDelay(failures)));
		}
	}
	return undefined;
}

/**
 * Reports ids: the first at once, as timers are slow in a hidden tab, and those that follow within a moment together, so
 * that a burst of updates does not become a burst of requests.
 */
export function acknowledger(client: DeviceClient, signal: AbortSignal): (id: number) => void {
	const waiting = new Set<number>();
	let isReporting = false;
	/** On the clock of `performance`. */
	let nextAt = 0;
	let endPause: () => void = () => undefined;
	signal.addEventListener('abort', () => endPause());
	const report = async () => {
		while (waiting.size > 0) {
			const pause = signal.aborted ? 0 : nextAt - performance.now();
			if (pause > 0) {
				await new Promise<void>((resolve) => {
					endPause = resolve;
					setTimeout(resolve, pause);
				});
			}
			nextAt = performance.now() + ACKNOWLEDGE_AFTER;
			const ids = [...waiting].slice(0, MAX_ACKNOWLEDGED);
			try {
				await client.call('POST /acknowledge', { deliveries: ids });
				ids.forEach((id) => waiting.delete(id));
			} catch {
				// The server sends unacknowledged deliveries again, so a late report does no harm.
				if (signal.aborted) break;
				nextAt = performance.now() + ACKNOWLEDGE_RETRY;
			}
		}
		isReporting = false;
	};
	return (id) => {
		waiting.add(id);
		if (isReporting) return;
		isReporting = true;
		// Waits for the other deliveries in the same chunk of the stream.
		void Promise.resolve().then(report);
	};
}
