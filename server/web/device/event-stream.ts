import { createParser } from 'eventsource-parser';
import type { Delivery, ShownNotifications } from '../../src/contract/device.ts';
import type { ShownMetric } from '../../src/contract/shown.ts';
import { isDisconnected, onUnreached } from './device-client.ts';

/** The server sends a comment every 15 s; after this many milliseconds of silence the connection is dead. */
const SILENCE_TIMEOUT_MS = 30_000;
/** Its first comment comes at once: if it does not, something on the way holds the stream back. */
const FIRST_TIMEOUT_MS = 10_000;
const SILENCE_CHECK = 1_000;
/** A connection that lasts this long counts as good, and resets the back-off. */
const STABLE_AFTER = 5_000;
const FIRST_DELAY = 1_000;
const MAX_DELAY_MS = 30_000;

export interface StreamOptions {
	/** Opens the stream of deliveries after `after`; rejects with a DeviceError. */
	open: (after: number, signal: AbortSignal) => Promise<Response>;
	/** The newest known delivery, read before every connection. */
	after: () => number;
	onConnected: () => void;
	onLost: () => void;
	/** The stream is given up, because nothing has come. */
	onSilent: () => void;
	onDelivery: (delivery: Delivery) => void;
	onMetric: (metric: ShownMetric) => void;
	/** Something was dismissed or restored, perhaps on another page of this phone. */
	onShown: (shown: ShownNotifications) => void;
	/** Calls back at reasons to connect now, such as a network that is back. @returns a function that stops it */
	onWake: (wake: () => void) => () => void;
	signal: AbortSignal;
}

/**
 * Follows the server's events and reconnects until `signal` aborts. EventSource would do the same, but it
 * cannot send an Authorization header. Rejects only if the phone was disconnected.
 */
export async function followEvents(options: StreamOptions): Promise<void> {
	const { signal } = options;
	for (let failures = 0; !signal.aborted; failures += 1) {
		const connectedAt = await connectOnce(options);
		if (signal.aborted) return;
		options.onLost();
		if (connectedAt !== undefined && Date.now() - connectedAt > STABLE_AFTER) failures = 0;
		await waitOrWake(retryDelay(failures), options);
	}
}

/** Doubles from 1 s to 30 s; the random half keeps many phones from reconnecting at the same moment. */
export function retryDelay(failures: number, random: () => number = Math.random): number {
	const limit = Math.min(MAX_DELAY_MS, FIRST_DELAY * 2 ** failures);
	return limit / 2 + (limit / 2) * random();
}

/** Reads one connection to its end. Returns when it was established, or undefined if it never was. */
async function connectOnce(options: StreamOptions): Promise<number | undefined> {
	const connection = new AbortController();
	const abort = () => connection.abort();
	options.signal.addEventListener('abort', abort);
	// On a dead network, a call fails long before the silence is noticed.
	const stopProbing = onUnreached(abort);
	let lastByteAt = Date.now();
	let connectedAt: number | undefined;
	// An interval that checks the clock notices a laptop that slept; a single timeout would not.
	const watch = setInterval(() => {
		const limit = connectedAt === undefined ? FIRST_TIMEOUT_MS : SILENCE_TIMEOUT_MS;
		if (connection.signal.aborted || Date.now() - lastByteAt < limit) return;
		abort();
		options.onSilent();
	}, SILENCE_CHECK);
	try {
		const response = await options.open(options.after(), connection.signal);
		await read(response, options, () => {
			lastByteAt = Date.now();
			if (connectedAt === undefined) options.onConnected();
			connectedAt ??= lastByteAt;
		});
	} catch (error) {
		if (isDisconnected(error)) throw error;
	} finally {
		clearInterval(watch);
		stopProbing();
		options.signal.removeEventListener('abort', abort);
		abort();
	}
	return connectedAt;
}

/** Reads until the server closes the stream or announces that it will. */
async function read(
	response: Response,
	options: StreamOptions,
	onBytes: () => void,
): Promise<void> {
	const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
	if (!reader) return;
	let isClosing = false;
	const parser = createParser({
		onEvent: ({ event, data }) => {
			if (event === 'bye') isClosing = true;
			else if (event === 'delivery') parseInto(data, options.onDelivery);
			else if (event === 'metric') parseInto(data, options.onMetric);
			else if (event === 'notifications') parseInto(data, options.onShown);
		},
	});
	while (!isClosing) {
		const { done, value } = await reader.read();
		if (done) return;
		onBytes();
		parser.feed(value);
	}
}

function parseInto<T>(data: string, handle: (value: T) => void): void {
	let value: T;
	try {
		value = JSON.parse(data) as T;
	} catch {
		// One broken frame must not end the stream; the next snapshot has its contents.
		console.warn('Beckon: an event could not be read');
		return;
	}
	handle(value);
}

/** Waits, unless there is a reason to try now. */
function waitOrWake(delay: number, { onWake, signal }: StreamOptions): Promise<void> {
	return new Promise((resolve) => {
		const finish = () => {
			clearTimeout(timer);
			stopWaking();
			signal.removeEventListener('abort', finish);
			resolve();
		};
		const timer = setTimeout(finish, delay);
		const stopWaking = onWake(finish);
		signal.addEventListener('abort', finish);
	});
}
