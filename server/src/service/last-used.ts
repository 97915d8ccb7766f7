import type { Database } from '../store/database.ts';
import type { Db } from '../store/schema.ts';

/** How old a recorded time may be before it is written anew. */
const GRANULARITY_MS = 60_000;

/** After a time could not be written, none is tried for so long. */
const PAUSE_MS = 60_000;

interface Options {
	database: Database;
	now: () => number;
	onError: (error: unknown) => void;
}

/**
 * When phones, keys and sessions were last seen. Nobody waits for these writes: a store that takes none
 * at the moment must not keep anybody from reading.
 */
export class LastUsed {
	readonly #options: Options;
	/** The writes under way, by the id of what is used. */
	readonly #underWay = new Map<string, Promise<void>>();
	#pausedUntil = -Infinity;

	constructor(options: Options) {
		this.#options = options;
	}

	/**
	 * @param id of what is used
	 * @param recordedAt the time that is stored; null: none
	 * @param store writes the new one
	 */
	note(
		id: string,
		recordedAt: number | null,
		store: (db: Db, now: number) => Promise<unknown>,
	): void {
		const { database, now, onError } = this.#options;
		const at = now();
		if (at - (recordedAt ?? -Infinity) <= GRANULARITY_MS || this.#underWay.has(id)) return;
		if (performance.now() < this.#pausedUntil) return;
		const written = database
			.write(null, (db) => store(db, at))
			.then(
				() => undefined,
				(error: unknown) => {
					this.#pausedUntil = performance.now() + PAUSE_MS;
					onError(error);
				},
			)
			.finally(() => this.#underWay.delete(id));
		this.#underWay.set(id, written);
	}

	/** Waits for the writes under way: the store must not be closed before. */
	async settle(): Promise<void> {
		await Promise.all(this.#underWay.values());
	}
}
