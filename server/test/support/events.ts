import { createParser } from 'eventsource-parser';
import { waitFor, within } from './wait.ts';

interface SentEvent {
	id: string | undefined;
	event: string | undefined;
	data: any;
}

export interface EventStream {
	/** Everything that has arrived so far. */
	events: SentEvent[];
	/** The deliveries among them. */
	deliveries(): any[];
	/** Waits until `count` deliveries have arrived, and returns all of them. */
	waitForDeliveries(count: number): Promise<any[]>;
	/** Waits for an event that `matches`. */
	waitForEvent(what: string, matches: (event: SentEvent) => boolean): Promise<SentEvent>;
	/** Resolves when the server has ended the stream, or the connection was cut. */
	ended: Promise<void>;
	/** Closes the connection, as a phone would. */
	close(): Promise<void>;
}

export interface FollowOptions {
	after?: number;
	lastEventId?: string;
}

/** Opens GET /device/events of a listening server, as a phone does. */
export function followEvents(
	base: string,
	token: string,
	{ after, lastEventId }: FollowOptions = {},
): Promise<EventStream> {
	return followStream(`${base}/device/events${after === undefined ? '' : `?after=${after}`}`, {
		authorization: `Bearer ${token}`,
		...(lastEventId !== undefined && { 'last-event-id': lastEventId }),
	});
}

/** Opens a stream of server-sent events. */
export async function followStream(
	url: string,
	headers: Record<string, string>,
): Promise<EventStream> {
	const connection = new AbortController();
	const response = await fetch(url, { headers, signal: connection.signal });
	if (response.status !== 200)
		throw new Error(`Events answered ${response.status}: ${await response.text()}`);
	const type = response.headers.get('content-type');
	if (!type?.startsWith('text/event-stream'))
		throw new Error(`Events have the content type ${type}`);

	const events: SentEvent[] = [];
	const parser = createParser({
		onEvent: ({ id, event, data }) => events.push({ id, event, data: JSON.parse(data) }),
	});
	const read = async () => {
		const decoder = new TextDecoder();
		try {
			for await (const chunk of response.body!)
				parser.feed(decoder.decode(chunk, { stream: true }));
		} catch {
			// Cut off: by the phone itself, or by a server that died.
		}
	};
	const ended = read();
	const deliveries = () =>
		events.filter(({ event }) => event === 'delivery').map(({ data }) => data);
	return {
		events,
		deliveries,
		waitForDeliveries: (count) =>
			waitFor(`${count} deliveries`, () => deliveries().length >= count && deliveries()),
		waitForEvent: (what, matches) => waitFor(what, () => events.find(matches)),
		ended,
		async close() {
			connection.abort();
			await within('the end of a stream that was hung up', ended);
		},
	};
}
