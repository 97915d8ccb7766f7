import { Groups } from '../../groups.ts';
import type { ForeignChange, Topic } from '../../store/changes.ts';
import { TooManyRequests } from '../refusal.ts';

/** Seconds after which a key with too many waiting requests may try again. */
const RETRY_SECONDS = 5;

/** A waiting request. */
interface Waiting {
	/** Lets it look again. */
	wake: () => void;
	/** True once it must be answered, whatever it finds. */
	isOver: boolean;
}

interface Wait {
	/** Who waits. */
	key: string;
	questionId: string;
	milliseconds: number;
	/** Aborted when the client has hung up. */
	gone: AbortSignal;
}

/**
 * The requests of this process that wait for the end of a question. They carry no content, and ask the store
 * nothing until the question has changed.
 */
export class QuestionWaits {
	readonly #announce: (topic: Topic) => void;
	readonly #mostPerKey: number;
	readonly #byQuestion = new Groups<Waiting>();
	readonly #byKey = new Groups<Waiting>();
	#isStopped = false;

	/** @param announce tells the other processes */
	constructor(announce: (topic: Topic) => void, mostPerKey: number) {
		this.#announce = announce;
		this.#mostPerKey = mostPerKey;
	}

	/** The number of requests that wait. */
	get size(): number {
		return this.#byQuestion.members;
	}

	/**
	 * Waits until `look` finds the end. It looks once at first, and then after each change.
	 * @returns what it found last, at the latest when the time is up or the server stops
	 * @throws TooManyRequests when the key has too many waiting requests
	 */
	async until<T>(
		{ key, questionId, milliseconds, gone }: Wait,
		look: () => Promise<{ found: T; isEnd: boolean }>,
	): Promise<T> {
		const open = this.#byKey.get(key)?.size ?? 0;
		if (open >= this.#mostPerKey) {
			throw new TooManyRequests(
				'Too many waiting requests',
				`${open} requests of this key already wait for answers. Wait for fewer questions at a time, or have them call back.`,
				RETRY_SECONDS,
			);
		}
		const waiting: Waiting = {
			wake: () => undefined,
			isOver: gone.aborted || this.#isStopped,
		};
		const timer = setTimeout(() => endOf(waiting), milliseconds);
		gone.addEventListener('abort', () => endOf(waiting));
		this.#byKey.join(key, waiting);
		this.#byQuestion.join(questionId, waiting);
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
			this.#byQuestion.leave(questionId, waiting);
		}
	}

	/** Called when a question has ended here. */
	ended(questionId: string): void {
		this.#wake(questionId);
		this.#announce(`question ${questionId}`);
	}

	/** Called when another process has changed the store. */
	foreignChange(change: ForeignChange): void {
		for (const questionId of this.#byQuestion.keys())
			if (change === 'everything' || change.has(`question ${questionId}`)) this.#wake(questionId);
	}

	/** Answers those that wait, and all later ones at once. */
	stop(): void {
		this.#isStopped = true;
		for (const group of this.#byQuestion.values()) for (const one of group) endOf(one);
	}

	#wake(questionId: string): void {
		for (const { wake } of this.#byQuestion.get(questionId) ?? []) wake();
	}
}

function endOf(waiting: Waiting): void {
	waiting.isOver = true;
	waiting.wake();
}
