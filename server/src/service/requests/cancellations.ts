import { Groups } from '../../collections.ts';
import type { RemoteChange, Topic } from '../../store/database.ts';

/** How long a cancellation is remembered, in milliseconds: it may overtake the call that it cancels. */
const REMEMBERED_MS = 10_000;

/**
 * The calls under way in this process that their clients can cancel. A client cancels with another message, which may
 * reach any of the servers.
 */
export class Cancellations {
	readonly #announce: (topic: Topic) => void;
	readonly #inProgress = new Groups<AbortController>();
	/** The ids of calls that were cancelled just now. */
	readonly #cancelled = new Set<string>();

	/** @param announce announces a change to the other processes */
	constructor(announce: (topic: Topic) => void) {
		this.#announce = announce;
	}

	/**
	 * Makes a call.
	 * @param id by which its client cancels it
	 * @param gone aborted when the client has hung up; the call's own signal is also aborted when the client cancels
	 */
	async run<T>(id: string, gone: AbortSignal, call: (gone: AbortSignal) => Promise<T>): Promise<T> {
		const cancelled = new AbortController();
		if (this.#cancelled.has(id)) cancelled.abort();
		this.#inProgress.join(id, cancelled);
		try {
			return await call(AbortSignal.any([gone, cancelled.signal]));
		} finally {
			this.#inProgress.leave(id, cancelled);
		}
	}

	/** Cancels a call, in whichever process. */
	cancel(id: string): void {
		this.#abort(id);
		this.#announce(`call ${id}`);
	}

	/** Called when another process has announced something. */
	remoteChange(change: RemoteChange): void {
		// Unknown changes cancel nothing.
		if (change === 'everything') return;
		for (const topic of change)
			if (topic.startsWith('call ')) this.#abort(topic.slice('call '.length));
	}

	#abort(id: string): void {
		this.#cancelled.add(id);
		setTimeout(() => this.#cancelled.delete(id), REMEMBERED_MS).unref();
		for (const call of this.#inProgress.get(id) ?? []) call.abort();
	}
}
