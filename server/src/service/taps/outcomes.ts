import { setTimeout } from 'node:timers/promises';
import { BoundedMap } from '../../collections.ts';
import type { TapResponse } from '../../contract/device.ts';
import { StoreUnavailableError } from '../../store/errors.ts';
import { toStorageFailure } from '../refusal.ts';

/**
 * Milliseconds for which a tap without an outcome is watched before its server counts as killed. A webhook has
 * 10 seconds. Each process measures them itself: servers' clocks differ, and can be set.
 */
const WATCH_MS = 15_000;

const FIRST_PAUSE_MS = 100;

/** Once the store is back, it must get the outcome long before another server stops watching the tap. */
const MAX_PAUSE_MS = 1_000;

/** Maximum tries to store an outcome that the available store rejects. */
const MAX_TRIES = 10;

/** Outcomes that may wait for the store. When there are this many, no further webhook is called. */
const MAX_UNSTORED = 1_000;

interface Options {
	/** Milliseconds of a monotonic clock. */
	elapsed: () => number;
	onError: (error: unknown) => void;
}

/** The taps whose webhooks this process calls, until their outcomes are stored; and those of killed servers. */
export class TapOutcomes {
	readonly #options: Options;
	/** By tap; undefined while its webhook is being called. */
	readonly #calls = new Map<string, TapResponse | undefined>();
	readonly #abandoned = new BoundedMap<string, true>(10_000);
	#unstored = 0;

	constructor(options: Options) {
		this.#options = options;
	}

	/** Number of called webhooks whose outcome is not stored yet. */
	get unstored(): number {
		return this.#unstored;
	}

	/** @throws StoreUnavailableError when too many outcomes wait for the store */
	requireRoom(): void {
		if (this.#unstored >= MAX_UNSTORED)
			throw new StoreUnavailableError('Too many webhook outcomes are waiting to be stored');
	}

	/** The response to a tap whose outcome is not stored yet. */
	unstoredResponse(tap: string): TapResponse | undefined {
		return this.#calls.get(tap);
	}

	/**
	 * Whether a stored tap without an outcome may still get one.
	 * @param watched the taps that the caller watches, with the start of its watch
	 */
	mayArrive(tap: string, watched: Map<string, number>): boolean {
		if (this.#calls.has(tap)) return true;
		if (this.#abandoned.has(tap)) return false;
		const now = this.#options.elapsed();
		const since = watched.get(tap) ?? now;
		watched.set(tap, since);
		if (now - since < WATCH_MS) return true;
		this.#abandoned.set(tap, true);
		return false;
	}

	/**
	 * Calls a webhook, and stores its outcome. While the store fails, the outcome is kept and stored as soon as
	 * possible, since the call cannot be undone.
	 * @returns once the outcome is stored, or the store has failed
	 */
	async callAndStore(
		tap: string,
		call: () => Promise<{ response: TapResponse; store: () => Promise<void> }>,
	): Promise<TapResponse> {
		this.#calls.set(tap, undefined);
		const { response, store } = await call().catch((error: unknown) => {
			this.#calls.delete(tap);
			throw error;
		});
		this.#calls.set(tap, response);
		await store().then(
			() => this.#calls.delete(tap),
			(error: unknown) => void this.#storeLater(tap, store, error),
		);
		return response;
	}

	async #storeLater(tap: string, store: () => Promise<void>, first: unknown): Promise<void> {
		this.#unstored += 1;
		this.#options.onError(first);
		let failures = 1;
		for (let pause = FIRST_PAUSE_MS; failures < MAX_TRIES; pause *= 2) {
			await setTimeout(Math.min(pause, MAX_PAUSE_MS), undefined, { ref: false });
			try {
				await store();
				break;
			} catch (error) {
				if (toStorageFailure(error) === undefined) failures += 1;
				if (failures === MAX_TRIES) this.#options.onError(error);
			}
		}
		this.#unstored -= 1;
		this.#calls.delete(tap);
	}

	/** Waits until every outcome is stored, before the store is closed. */
	async idle(): Promise<void> {
		while (this.#unstored > 0) await setTimeout(10);
	}
}
