import type { Snapshot } from '../../src/contract/device.ts';
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
const ACKNOWLEDGE_MAX = 500;

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
	snapshot.notifications.forEach(({ id }) => acknowledge(id));

	await followEvents({
		...handlers,
		open: client.openEvents,
		after: () => cursor,
		onConnected: () => handlers.onConnection('live'),
		onLost: () => handlers.onConnection('reconnecting'),
		onDelivery: (delivery) => {
			handlers.onDelivery(delivery);
			cursor = Math.max(cursor, delivery.id);
			// A repeated delivery is acknowledged again: the server has not recorded it yet.
			acknowledge(delivery.id);
		},
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

/** Collects ids and reports them together: a burst of updates must not become a burst of requests. */
function acknowledger(client: DeviceClient, signal: AbortSignal): (id: number) => void {
	const waiting = new Set<number>();
	let timer: ReturnType<typeof setTimeout> | undefined;
	const flush = async () => {
		const ids = [...waiting].slice(0, ACKNOWLEDGE_MAX);
		try {
			await client.call('POST /acknowledge', { deliveries: ids });
			ids.forEach((id) => waiting.delete(id));
			timer = undefined;
			if (waiting.size > 0) schedule(ACKNOWLEDGE_AFTER);
		} catch {
			// The server sends unacknowledged deliveries again, so a late report does no harm.
			timer = undefined;
			schedule(ACKNOWLEDGE_RETRY);
		}
	};
	const schedule = (delay: number) => {
		if (timer === undefined && !signal.aborted) timer = setTimeout(() => void flush(), delay);
	};
	signal.addEventListener('abort', () => {
		clearTimeout(timer);
		if (waiting.size > 0) void flush();
	});
	return (id) => {
		waiting.add(id);
		schedule(ACKNOWLEDGE_AFTER);
	};
}
