import { StoreUnavailableError } from '../errors.ts';
import type { Db } from '../schema.ts';

interface Call<Q, A> {
	input: Q;
	since: number;
	resolve: (result: A) => void;
	reject: (error: unknown) => void;
}

interface BatcherOptions<Q, A> {
	/** Returns the results of a batch, in order; rejects if there are none. */
	run: (batch: readonly Q[]) => Promise<readonly A[]>;
	/** Maximum calls per batch. */
	limit?: number;
	/** Called when the queue is empty. */
	onIdle?: () => void;
}

/** If work takes this long and fails, the store is considered hanging. */
const HANG_MS = 1_000;

/**
 * The error for work queued behind work that failed because the store hangs: it would wait as long again.
 * @returns undefined if the work failed for another reason
 */
export function toHangError(error: unknown, began: number): StoreUnavailableError | undefined {
	const isHang = error instanceof StoreUnavailableError && performance.now() - began >= HANG_MS;
	return isHang ? new StoreUnavailableError(error.message) : undefined;
}

/** Milliseconds that a request waits for others to reach the store: it gets a response within five seconds. */
const MAX_WAIT_MS = 5_000;

/**
 * Rejects queued calls that have waited too long: none of them has been sent to the store.
 * @param oldest when the oldest call was queued; undefined: the queue is empty
 * @param failBefore removes and rejects the calls queued before a time
 * @returns a function to call when something has been added
 */
export function limitWaits(
	oldest: () => number | undefined,
	failBefore: (time: number, error: StoreUnavailableError) => void,
): () => void {
	let timer: NodeJS.Timeout | undefined;
	const limit = () => {
		const since = timer ? undefined : oldest();
		if (since === undefined) return;
		const end = () => {
			timer = undefined;
			const error = new StoreUnavailableError('Other writes kept the store busy for too long');
			failBefore(performance.now() - MAX_WAIT_MS, error);
			limit();
		};
		timer = setTimeout(end, since + MAX_WAIT_MS - performance.now() + 1).unref();
	};
	return limit;
}

/**
 * Batches calls: those made while one batch runs form the next, in one round trip to the store. A lone call is
 * not delayed.
 */
export class Batcher<Q, A> {
	readonly #options: BatcherOptions<Q, A>;
	readonly #queue: Array<Call<Q, A>> = [];
	readonly #limitWaits = limitWaits(
		() => this.#queue[0]?.since,
		(time, error) => {
			const count = this.#queue.findIndex(({ since }) => since > time);
			const late = this.#queue.splice(0, count < 0 ? Infinity : count);
			for (const { reject } of late) reject(error);
		},
	);
	readonly #whenIdle: Array<() => void> = [];
	#isOpen = false;

	constructor(options: BatcherOptions<Q, A>) {
		this.#options = options;
	}

	submit(input: Q): Promise<A> {
		return new Promise<A>((resolve, reject) => {
			this.#queue.push({ input, since: performance.now(), resolve, reject });
			if (this.#isOpen) this.#limitWaits();
			else void this.#drain();
		});
	}

	/** Resolves when no call is waiting for its result. */
	async idle(): Promise<void> {
		while (this.#isOpen) await new Promise<void>((resolve) => this.#whenIdle.push(resolve));
	}

	async #drain(): Promise<void> {
		const { run, limit = Infinity, onIdle } = this.#options;
		this.#isOpen = true;
		// Let the remaining calls of this turn join.
		await new Promise((resolve) => setImmediate(resolve));
		while (this.#queue.length > 0) {
			const batch = this.#queue.splice(0, limit);
			const began = performance.now();
			try {
				const results = await run(batch.map(({ input }) => input));
				for (const [index, { resolve }] of batch.entries()) resolve(results[index] as A);
			} catch (error) {
				for (const { reject } of batch) reject(error);
				const hang = toHangError(error, began);
				if (hang) for (const { reject } of this.#queue.splice(0)) reject(hang);
			}
		}
		this.#isOpen = false;
		onIdle?.();
		for (const resolve of this.#whenIdle.splice(0)) resolve();
	}
}

/**
 * A query for one input, made from one for many.
 * @param run returns the results of the inputs, in order
 */
export function batched<Q, A>(run: (db: Db, inputs: readonly Q[]) => Promise<readonly A[]>) {
	const ofStore = new WeakMap<Db, Batcher<Q, A>>();
	return (db: Db, input: Q) => {
		const batcher = ofStore.get(db) ?? new Batcher<Q, A>({ run: (inputs) => run(db, inputs) });
		ofStore.set(db, batcher);
		return batcher.submit(input);
	};
}
