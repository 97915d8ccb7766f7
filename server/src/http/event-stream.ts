import { setImmediate } from 'node:timers/promises';
import type { FastifyReply } from 'fastify';
import type { TypedApp } from './typed-app.ts';

/** How often it is looked for streams that have been silent for long. */
const SWEEP_MS = 250;

/** How long a stream has to end by itself when the server closes. */
const GOODBYE_MS = 1_000;

/** Streams that one phone, or one session of the console, may have open; more than anybody has tabs. */
const MOST_OF_ONE = 10;

/** What the stream of one connection tells. */
export interface EventSource {
	/**
	 * Writes what is new. Called at first, after every `wake`, and when that was long ago; never twice at
	 * a time.
	 * @returns false when the stream is over
	 */
	tell(stream: EventStream): Promise<boolean>;
	/** The connection is closed. */
	closed(): void;
	/** What is said when the server closes. */
	readonly goodbye?: string;
}

interface Options {
	/** The longest silence, in milliseconds. */
	silenceMs: number;
	/**
	 * What ends a silence: so small that thousands of phones leave V8 the quiet in which it gives memory
	 * back, less than 1 MB allocated in a second. Without it the source is asked.
	 */
	signOfLife?: string;
	/** How long after it was last asked a silent source is asked again, in milliseconds. */
	askAfterMs: number;
}

/**
 * The open streams of server-sent events (HTML Living Standard, section 9.2) of one route. A stream
 * writes to its connection itself, and all share one timer: thousands of phones are connected and say
 * nothing, and what each of them holds while it waits is memory.
 */
export class EventStreams {
	readonly #options: Options;
	/** The one that has been silent longest comes first. */
	readonly #open = new Set<EventStream>();
	/** By whose they are, the oldest first. */
	readonly #byOwner = new Map<string, Set<EventStream>>();
	#sweep: NodeJS.Timeout | undefined;
	#isSweeping = false;

	constructor(app: TypedApp, options: Options) {
		this.#options = options;
		app.addHook('preClose', (done) => {
			// The set is in the order of use: the most recent is last.
			for (const stream of [...this.#open]) stream.close();
			done();
		});
	}

	/**
	 * Answers the request with a stream that stays open until one of the two ends it, or its owner has
	 * opened so many others that it is the oldest of too many.
	 * @param owner the phone or the session whose stream it is
	 */
	open(reply: FastifyReply, source: EventSource, owner: string): FastifyReply {
		reply.headers({
			'content-type': 'text/event-stream; charset=utf-8',
			'x-accel-buffering': 'no',
		});
		// A HEAD asks for no stream.
		if (reply.request.method === 'HEAD') return reply.send();
		reply.hijack();
		// Hung up while it was authenticated.
		if (reply.raw.closed) return reply;
		const stream = new EventStream(reply, source, () => this.#putLast(stream));
		this.#open.add(stream);
		const owned = this.#byOwner.get(owner) ?? new Set();
		this.#byOwner.set(owner, owned.add(stream));
		for (const oldest of [...owned].slice(0, -MOST_OF_ONE)) {
			owned.delete(oldest);
			oldest.end();
		}
		reply.raw.once('close', () => {
			this.#open.delete(stream);
			owned.delete(stream);
			if (owned.size === 0) this.#byOwner.delete(owner);
			if (this.#open.size === 0) {
				clearInterval(this.#sweep);
				this.#sweep = undefined;
			}
			source.closed();
		});
		reply.raw.writeHead(200, reply.getHeaders() as Record<string, string>);
		reply.raw.flushHeaders();
		this.#sweep ??= setInterval(() => void this.#wakeSilent(), SWEEP_MS);
		stream.wake();
		return reply;
	}

	/** Its silence begins now. */
	#putLast(stream: EventStream): void {
		if (this.#open.delete(stream)) this.#open.add(stream);
	}

	/** One after another: together, thousands would hold up everything else, and all need memory at once. */
	async #wakeSilent(): Promise<void> {
		if (this.#isSweeping) return;
		this.#isSweeping = true;
		const { silenceMs, signOfLife, askAfterMs } = this.#options;
		const now = performance.now();
		for (const stream of this.#open) {
			if (stream.silentSince > now - silenceMs) break;
			if (signOfLife !== undefined) stream.say(signOfLife);
			if (stream.askedAt <= now - askAfterMs) stream.wake();
			await setImmediate();
		}
		this.#isSweeping = false;
	}
}

/** The server's end of one stream. */
export class EventStream {
	readonly #reply: FastifyReply;
	readonly #source: EventSource;
	readonly #onSilence: () => void;
	#isTelling = false;
	#isWoken = false;
	#isClosing = false;
	silentSince = performance.now();
	/** When its source was last asked what is new. */
	askedAt = performance.now();

	constructor(reply: FastifyReply, source: EventSource, onSilence: () => void) {
		this.#reply = reply;
		this.#source = source;
		this.#onSilence = onSilence;
	}

	/** Whether nothing more needs to be told. */
	get isOver(): boolean {
		return this.#isClosing || !this.#canWrite;
	}

	/** Not when it has ended, though the phone may take long to read the rest. */
	get #canWrite(): boolean {
		const { raw } = this.#reply;
		return !raw.closed && !raw.writableEnded;
	}

	/** There may be something new. */
	wake(): void {
		this.#isWoken = true;
		if (!this.#isTelling) void this.#tell();
	}

	/** Resolves when there is room for more, so that a phone that reads slowly costs no memory. */
	async write(text: string): Promise<void> {
		const { raw } = this.#reply;
		if (!this.#canWrite || raw.write(text)) return;
		await new Promise<void>((resolve) => {
			const done = () => {
				raw.off('drain', done).off('close', done);
				resolve();
			};
			raw.on('drain', done).on('close', done);
		});
	}

	/** Writes what may as well be left out, where there is room for it. */
	say(text: string): void {
		const { raw } = this.#reply;
		if (this.#canWrite && !raw.writableNeedDrain) raw.write(text);
		this.#beginSilence();
	}

	/** Says goodbye. */
	close(): void {
		this.#isClosing = true;
		this.wake();
		this.#cutSoon();
	}

	/** Ends without a word: nobody is asked to come back at once. */
	end(): void {
		this.#reply.raw.end();
		this.#cutSoon();
	}

	/** A phone that does not read never gets to the end. */
	#cutSoon(): void {
		setTimeout(() => this.#reply.raw.destroy(), GOODBYE_MS).unref();
	}

	async #tell(): Promise<void> {
		this.#isTelling = true;
		try {
			while (this.#isWoken && !this.isOver) {
				this.#isWoken = false;
				this.askedAt = performance.now();
				if (!(await this.#source.tell(this))) {
					this.#reply.raw.end();
					return;
				}
			}
			if (this.#isClosing && this.#canWrite) this.#reply.raw.end(this.#source.goodbye);
		} catch (error) {
			this.#reply.log.error({ err: error }, 'an event stream broke off');
			this.#reply.raw.destroy();
		} finally {
			this.#isTelling = false;
		}
		this.#beginSilence();
	}

	#beginSilence(): void {
		this.silentSince = performance.now();
		this.#onSilence();
	}
}
