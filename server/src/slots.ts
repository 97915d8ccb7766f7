interface Burst<T> {
	items: readonly T[];
	/** Index of the next item; `shift` on a long array would copy it each time. */
	next: number;
	begin: (item: T) => void;
}

/**
 * Limits how many items are worked on at a time, and how many begin in a turn of the event loop. Waiting bursts take
 * turns: a single item does not wait for the ten thousand of another burst.
 */
export class Slots<T> {
	readonly #perTurn: number;
	#free: number;
	/** How many may still begin in this turn of the event loop. */
	#left: number;
	#nextTurn: NodeJS.Immediate | undefined;
	/** In turn order. */
	readonly #waiting = new Set<Burst<T>>();

	/** @param count may be Infinity: then no slot has to be given back */
	constructor(count: number, perTurn = Infinity) {
		this.#free = count;
		this.#perTurn = perTurn;
		this.#left = perTurn;
	}

	/** Begins each item now or, with no free slot, in its turn. The caller releases the slot. */
	take(items: readonly T[], begin: (item: T) => void): void {
		if (items.length === 0) return;
		this.#waiting.add({ items, next: 0, begin });
		this.#begin();
	}

	release(): void {
		this.#free += 1;
		this.#begin();
	}

	#begin(): void {
		for (const burst of this.#waiting) {
			if (this.#free === 0 || this.#left === 0) break;
			this.#free -= 1;
			this.#left -= 1;
			const item = burst.items[burst.next] as T;
			burst.next += 1;
			// Moves it to the end of the round: this loop also visits what is added while it runs.
			this.#waiting.delete(burst);
			if (burst.next < burst.items.length) this.#waiting.add(burst);
			burst.begin(item);
		}
		if (this.#left === this.#perTurn) return;
		this.#nextTurn ??= setImmediate(() => {
			this.#nextTurn = undefined;
			this.#left = this.#perTurn;
			this.#begin();
		});
	}
}

/** Does the work once a slot is free. @returns its result @throws its error */
export async function inSlot<R>(slots: Slots<() => void>, work: () => Promise<R>): Promise<R> {
	await new Promise<void>((begin) => slots.take([begin], (start) => start()));
	try {
		return await work();
	} finally {
		slots.release();
	}
}
