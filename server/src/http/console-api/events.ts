import { Readable } from 'node:stream';
import { watchAccount } from '../../service/console/changes.ts';
import { isSignedIn, type Visitor } from '../../service/console/sessions.ts';
import type { Context } from '../../service/context.ts';
import type { TypedApp } from '../app.ts';
import { visitorOf } from './authentication.ts';
import type { ConsoleParts } from './parts.ts';

/**
 * The longest silence. What is said then makes a page look again too: it catches what no request
 * announced, such as a delivery that came through at a later attempt.
 */
const HEARTBEAT_MS = 15_000;

/** Changes within so long are one: a page looks again at most this often, however much is sent. */
const GATHER_MS = 400;

const CHANGED = 'event: changed\ndata: {}\n\n';

/** GET /console/api/events: says when to look again. It carries no content, so nothing can leak or be missed. */
export function registerConsoleEvents(app: TypedApp, { context }: ConsoleParts): void {
	const open = new Set<AbortController>();
	app.addHook('preClose', (done) => {
		for (const controller of open) controller.abort();
		done();
	});

	app.get('/events', (request, reply) => {
		const controller = new AbortController();
		open.add(controller);
		const stream = Readable.from(changes(context, visitorOf(request), controller.signal));
		stream.once('close', () => {
			controller.abort();
			open.delete(controller);
		});
		return reply
			.headers({ 'content-type': 'text/event-stream; charset=utf-8', 'x-accel-buffering': 'no' })
			.send(stream);
	});
}

async function* changes(
	context: Context,
	visitor: Visitor,
	signal: AbortSignal,
): AsyncGenerator<string> {
	const alarm = new Alarm(signal);
	const unwatch = watchAccount(context, visitor.accountId, () => alarm.ring());
	const isOver = () => signal.aborted;
	try {
		for (;;) {
			yield CHANGED;
			await new Promise((resolve) => setTimeout(resolve, GATHER_MS));
			await alarm.wait(HEARTBEAT_MS);
			if (isOver() || !(await isSignedIn(context, visitor))) return;
		}
	} finally {
		unwatch();
	}
}

/** Wakes who waits, or who will wait next. */
class Alarm {
	#rang = false;
	#wake: (() => void) | undefined;

	constructor(signal: AbortSignal) {
		signal.addEventListener('abort', () => this.ring());
	}

	ring(): void {
		this.#rang = true;
		this.#wake?.();
	}

	/** Resolves when it has rung since the last time, at the latest after `timeoutMs`. */
	async wait(timeoutMs: number): Promise<void> {
		if (!this.#rang) {
			let timer: NodeJS.Timeout | undefined;
			await new Promise<void>((resolve) => {
				this.#wake = resolve;
				timer = setTimeout(resolve, timeoutMs);
			});
			clearTimeout(timer);
			this.#wake = undefined;
		}
		this.#rang = false;
	}
}
