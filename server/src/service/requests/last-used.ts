import { MINUTE_MS } from '../../durations.ts';
import type { Options } from './counts.ts';
import { inSlot, Slots } from '../../slots.ts';
import type { Db } from '../../store/schema.ts';

/** Age at which a recorded time is written again. */
const GRANULARITY_MS = MINUTE_MS;

/** Pause after a failed write. */
const PAUSE_MS = MINUTE_MS;

/** Times written at once: all phones may come back at the same moment, while requests also need the store. */
const WRITES_AT_ONCE = 4;

/**
 * Records when phones, keys and sessions were last used. Nothing waits for these writes: a store that does not
 * accept them must not block reads.
 */
export class LastUsed {
	readonly #options: Options;
	/** Pending writes, by the id of the used record. */
	readonly #inProgress = new Map<string, Promise<unknown>>();
	readonly #slots = new Slots<() => void>(WRITES_AT_ONCE);
	#pausedUntil = -Infinity;

	constructor(options: Options) {
		this.#options = options;
	}

	/**
	 * @param id of the used record
	 * @param recordedAt the time stored so far; null: none
	 * @param store writes the new time
	 */
	note(id: string, recordedAt: number | null, store: (db: Db, now: number) => Promise<unknown>) {
		const { database, now, onError } = this.#options;
		const at = now();
		if (at - (recordedAt ?? -Infinity) <= GRANULARITY_MS || this.#inProgress.has(id)) return;
		if (performance.now() < this.#pausedUntil) return;
		const written = inSlot(this.#slots, () => database.write(null, (db) => store(db, at)))
			.catch((error: unknown) => {
				this.#pausedUntil = performance.now() + PAUSE_MS;
				onError(error);
			})
			.finally(() => this.#inProgress.delete(id));
		this.#inProgress.set(id, written);
	}

	/** Waits for pending writes, before the store is closed. */
	async idle(): Promise<void> {
		await Promise.all(this.#inProgress.values());
	}
}
