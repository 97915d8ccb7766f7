import { Groups } from '../../groups.ts';
import type { ForeignChange, Topic } from '../../store/changes.ts';
import { TooManyRequests } from '../refusal.ts';

/** Seconds after which a key with too many waiting requests may try again. */
const RETRY_SECONDS = 5;

/** Waiting requests between which all look again after lost announcements, per millisecond. */
const LOOKS_PER_MS = 1;

/**
 * The requests of this process that wait for the end of a question. They carry no content, and ask the store
 * nothing until the question has changed.
 */
export class QuestionWaits {
	readonly #announce: (topic: Topic) => void;
	readonly #mostPerKey: number;
	/** Wakes the requests, by question. */
	readonly #waiting = new Groups<() => void>();
	readonly #byKey = new Map<string, number>();
	/** Ends the waits. */
	readonly #ends = new Set<() => void>();
	#isStopped = false;

	/** @param announce tells the other processes */
	constructor(announce: (topic: Topic) => void, mostPerKey: number) {
		this.#announce = announce;
		this.#mostPerKey = mostPerKey;
	}

	/** The number of requests that wait. */
	get size(): number {
		return this.#waiting.members;
	}

	/**
	 * Waits until `look` finds something. It looks once at first, and then after each change.
	 * @param key who waits
	 * @param gone aborted when the client has hung up
	 * @returns what it found last, at the latest when the time is up or the server stops
	 * @throws TooManyRequests when the key has too many waiting requests
	 */
	async until<T>(
		{
			key,
			questionId,
			milliseconds,
			gone,
		}: { key: string; questionId: string; milliseconds: number; gone: AbortSignal },
		look: () => Promise<{ found: T; isEnd: boolean }>,
	): Promise<T> {
		const open = this.#byKey.get(key) ?? 0;
		if (open >= this.#mostPerKey) {
			throw new TooManyRequests(
				'Too many waiting requests',
				`${open} requests of this key already wait for answers. Wait for fewer questions at a time, or have them call back.`,
				RETRY_SECONDS,
			);
		}
		this.#byKey.set(key, open + 1);
		let wake: () => void = () => undefined;
		let isOver = gone.aborted || this.#isStopped;
		const notify = () => wake();
		const end = () => {
			isOver = true;
			wake();
		};
		const timer = setTimeout(end, milliseconds);
		gone.addEventListener('abort', end);
		this.#waiting.join(questionId, notify);
		this.#ends.add(end);
		try {
			for (;;) {
				// Before looking: a change meanwhile is then looked at again.
				const changed = new Promise<void>((resolve) => (wake = resolve));
				const { found, isEnd } = await look();
				if (isEnd || isOver) return found;
				await changed;
			}
		} finally {
			clearTimeout(timer);
			this.#waiting.leave(questionId, notify);
			this.#ends.delete(end);
			const left = (this.#byKey.get(key) ?? 1) - 1;
			if (left > 0) this.#byKey.set(key, left);
			else this.#byKey.delete(key);
		}
	}

	/** Called when a question has changed. */
	changed(questionId: string): void {
		this.#wake(questionId);
		this.#announce(`question ${questionId}`);
	}

	/** Called when another process has changed the store. */
	foreignChange(change: ForeignChange): void {
		if (change === 'everything') {
			const within = this.#waiting.size / LOOKS_PER_MS;
			for (const id of this.#waiting.keys())
				setTimeout(() => this.#wake(id), Math.random() * within).unref();
			return;
		}
		for (const topic of change) {
			const [what, id = ''] = topic.split(' ');
			if (what === 'question') this.#wake(id);
		}
	}

	/** Answers those that wait, and all later ones at once. */
	stop(): void {
		this.#isStopped = true;
		for (const end of [...this.#ends]) end();
	}

	#wake(questionId: string): void {
		for (const wake of [...(this.#waiting.get(questionId) ?? [])]) wake();
	}
}
