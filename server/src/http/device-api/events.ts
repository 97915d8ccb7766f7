import { Readable } from 'node:stream';
import { type Delivery, eventsQuery } from '../../contract/device.ts';
import type { Context } from '../../service/context.ts';
import { follow, isPaired, type LiveChange, type Phone, readInbox } from '../../service/devices.ts';
import { metricsOf } from '../../service/metrics.ts';
import type { TypedApp } from '../app.ts';
import { deviceOf } from './authentication.ts';

/** Silence after which a comment is sent, so that both ends notice a dead connection. */
const HEARTBEAT_MS = 15_000;

/** How long a stream has to end by itself when the server closes. */
const GOODBYE_MS = 1_000;

const DELIVERIES_AT_ONCE = 100;

/** GET /device/events: server-sent events, first what was missed after the cursor, then what happens. */
export function registerEvents(app: TypedApp, context: Context): void {
	const open = new Map<Readable, AbortController>();
	app.addHook('preClose', (done) => {
		for (const [stream, controller] of open) {
			controller.abort();
			// A phone that does not read never gets to the goodbye.
			setTimeout(() => stream.destroy(), GOODBYE_MS).unref();
		}
		done();
	});

	app.get('/events', { schema: { querystring: eventsQuery } }, (request, reply) => {
		// A standard EventSource repeats its first URL, and says in the header how far it got since.
		const lastEventId = Number(request.headers['last-event-id']) || 0;
		const after = Math.max(request.query.after ?? 0, lastEventId);
		const controller = new AbortController();
		const stream = Readable.from(events(context, deviceOf(request), after, controller.signal));
		open.set(stream, controller);
		stream.once('close', () => {
			controller.abort();
			open.delete(stream);
		});
		return reply
			.headers({ 'content-type': 'text/event-stream; charset=utf-8', 'x-accel-buffering': 'no' })
			.send(stream);
	});
}

function frame(event: string, data: unknown, id?: number): string {
	return `${id === undefined ? '' : `id: ${id}\n`}event: ${event}\ndata: ${JSON.stringify(data)}\n\n`;
}

/**
 * The frames of one connection. It reads the store and is only told when to read, so a slow phone
 * costs no memory: the stream asks for the next frame when the last one has left.
 */
async function* events(
	context: Context,
	device: Phone,
	after: number,
	signal: AbortSignal,
): AsyncGenerator<string> {
	const changes = new Changes(signal);
	const unfollow = follow(context, device, (change) => changes.add(change));
	const isOver = () => signal.aborted;
	const sentMetrics = new Map<string, string>();
	let cursor = after;
	try {
		// The headers leave with the first byte: without it, a phone that has nothing to get would wait
		// for the first sign of life to know that it is connected.
		yield ': connected\n\n';
		changes.add('all');
		for (;;) {
			const change = await changes.next(HEARTBEAT_MS);
			if (isOver()) break;
			if (change === undefined) yield ': alive\n\n';
			if (!(await isPaired(context, device))) return;
			if (change !== 'metrics') {
				for await (const delivery of deliveriesAfter(context, device, cursor)) {
					yield frame('delivery', delivery, delivery.id);
					cursor = delivery.id;
				}
			}
			if (change === 'metrics' || change === 'all') {
				for (const metric of await metricsOf(context, device.account_id)) {
					const data = JSON.stringify(metric);
					if (sentMetrics.get(metric.key) === data) continue;
					sentMetrics.set(metric.key, data);
					yield frame('metric', metric);
				}
			}
		}
		yield frame('bye', {});
	} finally {
		unfollow();
	}
}

async function* deliveriesAfter(
	context: Context,
	device: Phone,
	after: number,
): AsyncGenerator<Delivery> {
	for (let cursor = after, more = true; more;) {
		const inbox = await readInbox(context, device, { after: cursor, limit: DELIVERIES_AT_ONCE });
		yield* inbox.deliveries;
		({ cursor, more } = inbox);
	}
}

/** Changes since the last look, collapsed to one. */
class Changes {
	readonly #signal: AbortSignal;
	#pending: LiveChange | undefined;
	#wake: (() => void) | undefined;

	constructor(signal: AbortSignal) {
		this.#signal = signal;
		signal.addEventListener('abort', () => this.#wake?.());
	}

	add(change: LiveChange): void {
		this.#pending = this.#pending === undefined || this.#pending === change ? change : 'all';
		this.#wake?.();
	}

	/** The change to look at, or undefined after `timeoutMs` of silence or when all is over. */
	async next(timeoutMs: number): Promise<LiveChange | undefined> {
		if (this.#pending === undefined && !this.#signal.aborted) {
			let timer: NodeJS.Timeout | undefined;
			await new Promise<void>((resolve) => {
				this.#wake = resolve;
				timer = setTimeout(resolve, timeoutMs);
			});
			clearTimeout(timer);
			this.#wake = undefined;
		}
		const change = this.#pending;
		this.#pending = undefined;
		return change;
	}
}
