import { setImmediate as nextTurn } from 'node:timers/promises';
import type { FastifyReply } from 'fastify';
import { Groups } from '../collections.ts';
import { type RegularWork, scheduleEvery } from '../regular-work.ts';
import { Slots } from '../slots.ts';
import type { TypedApp } from './typed-app.ts';

/** Milliseconds between checks for streams that have been silent too long. */
const SWEEP_MS = 250;

/** Milliseconds a stream has to end on its own when the server closes. */
const GOODBYE_MS = 1_000;

/** Open streams allowed for one phone or one console session; more tabs than people open. */
const MAX_STREAMS_PER_PHONE = 10;

/**
 * Feeds asked for news at the same time, for all routes together. Five thousand would block every other request:
 * the embedded store reads without a pause, and all share PostgreSQL's ten connections.
 */
const ASKED_AT_ONCE = 20;

/** Sources asked in one turn of the event loop: with two, a push to 5,000 open pages delays others by 15 ms. */
const ASKED_PER_TURN = 2;

const askSlots = new Slots<EventStream>(ASKED_AT_ONCE, ASKED_PER_TURN);

/** Supplies the events of one connection. */
export interface EventFeed {
	/**
	 * Writes what is new since the last call to the stream. Called when the stream opens, after a `wake`, and after a
	 * silence of `askAfterMs`. Calls for one stream do not overlap: a `wake` during a call leads to one more.
	 * @returns false when the stream is over
	 */
	writeNews(stream: EventStream): Promise<boolean>;
	/** Called once the connection is closed. */
	closed(): void;
	/** The last event sent when the server closes. */
	readonly goodbye?: string;
}

interface Options {
	/** The longest silence, in milliseconds. */
	silenceMs: number;
	/**
	 * Text that ends a silence: small enough (under 1 MB allocated per second for thousands of phones) that V8
	 * stays idle long enough to release memory. Without it, the feed is asked instead.
	 */
	heartbeat?: string;
	/** Milliseconds after which a silent feed is asked again. */
	askAfterMs: number;
}

/**
 * The open streams of server-sent events (HTML Living Standard, section 9.2) of one route. A stream writes to
 * its connection itself, and all share one timer: thousands of phones are connected and idle, and everything each
 * holds while it waits costs memory.
 */
export class EventStreams {
	readonly #options: Options;
	/** Ordered by silence, the longest first. */
	readonly #open = new Set<EventStream>();
	/** The streams of each owner, the oldest first. */
	readonly #byOwner = new Groups<EventStream>();
	#sweep: RegularWork | undefined;
	readonly #onError: (error: unknown, what: string) => void;

	constructor(app: TypedApp, options: Options) {
		this.#options = options;
		this.#onError = (error, what) => app.log.error({ err: error }, `${what} failed`);
		app.addHook('preClose', (done) => {
			// The set is in the order of use: the most recent is last.
			for (const stream of [...this.#open]) stream.close();
			done();
		});
	}

	/**
	 * Responds to the request with a stream, which stays open until either side ends it, or until it is the oldest of too
	 * many streams of its owner.
	 * @param owner the phone or session the stream belongs to
	 */
	open(reply: FastifyReply, feed: EventFeed, owner: string): FastifyReply {
		reply.headers({
			'content-type': 'text/event-stream; charset=utf-8',
			'x-accel-buffering': 'no',
		});
		// A HEAD request opens no stream.
		if (reply.request.method === 'HEAD') return reply.send();
		reply.hijack();
		// The client hung up during authentication.
		if (reply.raw.closed) return reply;
		// If the request was read to its end, Node.js creates no error when the connection is cut, which saves a third of
		// the time.
		reply.request.raw.resume();
		const stream = new EventStream(reply, feed, () => this.#putLast(stream));
		this.#open.add(stream);
		const owned = this.#byOwner.join(owner, stream);
		for (const oldest of [...owned].slice(0, -MAX_STREAMS_PER_PHONE)) {
			owned.delete(oldest);
			oldest.end();
		}
		reply.raw.once('close', () => {
			this.#open.delete(stream);
			this.#byOwner.leave(owner, stream);
			if (this.#open.size === 0) {
				void this.#sweep?.stop();
				this.#sweep = undefined;
			}
			feed.closed();
		});
		reply.raw.writeHead(200, reply.getHeaders() as Record<string, string>);
		reply.raw.flushHeaders();
		this.#sweep ??= scheduleEvery(SWEEP_MS, 'heartbeats', () => this.#wakeSilent(), this.#onError);
		stream.wake();
		return reply;
	}

	/** Restarts its silence now. */
	#putLast(stream: EventStream): void {
		if (this.#open.delete(stream)) this.#open.add(stream);
	}

	/** One at a time: thousands at once would block everything else and all need memory at the same time. */
	async #wakeSilent(): Promise<void> {
		const { silenceMs, heartbeat, askAfterMs } = this.#options;
		const now = performance.now();
		for (const stream of this.#open) {
			if (stream.silentSince > now - silenceMs) break;
			try {
				if (heartbeat !== undefined) stream.say(heartbeat);
				if (stream.askedAt <= now - askAfterMs) stream.wake();
			} catch (error) {
				stream.cut(error);
			}
			await nextTurn();
		}
	}
}

/**
 * The server's end of one stream. Its feed is asked for news in turn:
 *
 *     idle ──wake──> woken ──turn──> asked ──> idle, or woken if `wake` was called meanwhile
 *
 * A turn is one of `ASKED_AT_ONCE`, and ends with the response, or earlier where the feed waits for something other
 * than the store (`yieldTurn`).
 */
export class EventStream {
	readonly #reply: FastifyReply;
	readonly #feed: EventFeed;
	readonly #onSilence: () => void;
	#hasTurn = false;
	/** True while its feed is asked. */
	#isAsking = false;
	/** True from a `wake` until the feed is asked. */
	#isWoken = false;
	#isClosing = false;
	silentSince = performance.now();
	/** When its feed was last asked for news. */
	askedAt = performance.now();

	constructor(reply: FastifyReply, feed: EventFeed, onSilence: () => void) {
		this.#reply = reply;
		this.#feed = feed;
		this.#onSilence = onSilence;
	}

	/** True if nothing is left to write. */
	get isOver(): boolean {
		return this.#isClosing || !this.#canWrite;
	}

	/** False once it has ended, though the phone may still be reading the rest. */
	get #canWrite(): boolean {
		const { raw } = this.#reply;
		return !raw.closed && !raw.writableEnded;
	}

	/** Reports that there may be something new. Sources are asked in the order their streams were woken. */
	wake(): void {
		if (this.#isWoken) return;
		this.#isWoken = true;
		if (!this.#isAsking) this.#askInTurn();
	}

	/** Passes the turn on: the feed now waits for something other than the store. */
	yieldTurn(): void {
		if (!this.#hasTurn) return;
		this.#hasTurn = false;
		// Not immediately: on the embedded store all would be asked before the event loop continues.
		setImmediate(() => askSlots.release());
	}

	/** Resolves when there is room for more, so a slow reader uses no memory. */
	async write(text: string): Promise<void> {
		const { raw } = this.#reply;
		if (!this.#canWrite || raw.write(text)) return;
		this.yieldTurn();
		await new Promise<void>((resolve) => {
			const done = () => {
				raw.off('drain', done).off('close', done);
				resolve();
			};
			raw.on('drain', done).on('close', done);
		});
	}

	/** Writes text if there is room for it; otherwise it is dropped. */
	say(text: string): void {
		const { raw } = this.#reply;
		if (this.#canWrite && !raw.writableNeedDrain) raw.write(text);
		this.#beginSilence();
	}

	/** Ends at once, because of an error; the client connects again. */
	cut(error: unknown): void {
		this.#reply.log.error({ err: error }, 'an event stream was cut off');
		this.#reply.raw.destroy();
	}

	/** Says goodbye. */
	close(): void {
		this.#isClosing = true;
		if (!this.#isAsking) this.#sayGoodbye();
		this.#cutSoon();
	}

	/** Ends without a goodbye: the client is not told to reconnect immediately. */
	end(): void {
		this.#reply.raw.end();
		this.#cutSoon();
	}

	/** A phone that does not read would never reach the end. */
	#cutSoon(): void {
		setTimeout(() => this.#reply.raw.destroy(), GOODBYE_MS).unref();
	}

	#sayGoodbye(): void {
		if (this.#isClosing && this.#canWrite) this.#reply.raw.end(this.#feed.goodbye);
	}

	#askInTurn(): void {
		askSlots.take([this], () => {
			this.#hasTurn = true;
			this.#isWoken = false;
			void this.#ask();
		});
	}

	async #ask(): Promise<void> {
		this.#isAsking = true;
		this.askedAt = performance.now();
		try {
			if (!this.isOver && !(await this.#feed.writeNews(this))) this.#reply.raw.end();
		} catch (error) {
			this.cut(error);
		}
		this.#isAsking = false;
		this.yieldTurn();
		this.#sayGoodbye();
		if (this.#isWoken) this.#askInTurn();
		this.#beginSilence();
	}

	#beginSilence(): void {
		this.silentSince = performance.now();
		this.#onSilence();
	}
}
