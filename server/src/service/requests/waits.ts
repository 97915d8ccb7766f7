import { Groups } from '../../collections.ts';
import type { RemoteChange, Topic } from '../../store/database.ts';
import { TooManyRequests } from '../refusal.ts';

/** Seconds after which a key with too many waiting requests may try again. */
const RETRY_SECONDS = 5;

/** A waiting request. */
interface Waiting {
	/** Makes it check again. */
	wake: () => void;
	/** True once it must get a response, whatever it finds. */
	isOver: boolean;
}

interface Wait {
	/** Whose request it is. */
	key: string;
	/** What it waits for: a change of any of these, such as a question and the key that asked. */
	ids: readonly string[];
	milliseconds: number;
	/** Aborted when the client has hung up. */
	gone: AbortSignal;
}

interface Options {
	/** Announces a change to the other processes. */
	announce: (topic: Topic) => void;
	/** What its requests wait for. */
	kind: 'question' | 'trigger';
	maxPerKey: number;
	/** The error message for a key that exceeds `maxPerKey`. @param open its waiting requests */
	refuse: (open: number) => string;
}

/**
 * The requests of this process that wait for changes: the end of a question, or the tap of a trigger. They carry no
 * content, and ask the store nothing until there is a change.
 */
export class Waits {
	readonly #options: Options;
	readonly #byId = new Groups<Waiting>();
	readonly #byKey = new Groups<Waiting>();
	#isStopped = false;

	constructor(options: Options) {
		this.#options = options;
	}

	/** The number of requests that wait. */
	get size(): number {
		return this.#byKey.members;
	}

	/**
	 * Waits until `look` finds an end. It looks once at first, and then after each change.
	 * @returns what it found last, at the latest when the time is up or the server stops
	 * @throws TooManyRequests when the key has too many waiting requests
	 */
	async until<T>(wait: Wait, look: () => Promise<{ found: T; isEnd: boolean }>): Promise<T> {
		const { key, ids, milliseconds, gone } = wait;
		const open = this.#byKey.get(key)?.size ?? 0;
		const { maxPerKey, refuse } = this.#options;
		if (open >= maxPerKey)
			throw new TooManyRequests('Too many waiting requests', refuse(open), RETRY_SECONDS);
		const waiting: Waiting = { wake: () => undefined, isOver: gone.aborted || this.#isStopped };
		const timer = setTimeout(() => endOf(waiting), milliseconds);
		gone.addEventListener('abort', () => endOf(waiting));
		this.#byKey.join(key, waiting);
		for (const id of ids) this.#byId.join(id, waiting);
		try {
			for (;;) {
				// Before looking: a change meanwhile is then looked at again.
				const changed = new Promise<void>((resolve) => (waiting.wake = resolve));
				const { found, isEnd } = await look();
				if (isEnd || waiting.isOver) return found;
				await changed;
			}
		} finally {
			clearTimeout(timer);
			this.#byKey.leave(key, waiting);
			for (const id of ids) this.#byId.leave(id, waiting);
		}
	}

	/** Called when something has changed here. */
	changed(id: string): void {
		this.#wake(id);
		this.#options.announce(this.#topic(id));
	}

	/** Called when another process has changed the store. */
	remoteChange(change: RemoteChange): void {
		for (const id of this.#byId.keys())
			if (change === 'everything' || change.has(this.#topic(id))) this.#wake(id);
	}

	/** Ends all waits, and makes later ones return immediately. */
	stop(): void {
		this.#isStopped = true;
		for (const group of this.#byId.values()) for (const waiting of group) endOf(waiting);
	}

	#topic(id: string): Topic {
		return `${this.#options.kind} ${id}`;
	}

	#wake(id: string): void {
		for (const { wake } of this.#byId.get(id) ?? []) wake();
	}
}

function endOf(waiting: Waiting): void {
	waiting.isOver = true;
	waiting.wake();
}
