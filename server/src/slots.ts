import { setImmediate as nextTurn } from 'node:timers/promises';

/** Items begun in a turn of the event loop, where nothing else limits them. */
const BEGUN_AT_ONCE = 1_000;

/** Begins each item, with other work after every thousand. */
export async function beginInTurns<T>(
	items: readonly T[],
	begin: (item: T) => void,
): Promise<void> {
	for (const [place, item] of items.entries()) {
		if (place > 0 && place % BEGUN_AT_ONCE === 0) await nextTurn();
		begin(item);
	}
}

interface Burst<T> {
	items: readonly T[];
	/** Index of the next item; `shift` on a long array would copy it each time. */
	next: number;
	begin: (item: T) => void;
}

/**
 * Limits how many items are worked on at a time. Waiting bursts take turns: a single item does not wait for the
 * ten thousand of another burst.
 */
export class Slots<T> {
	#free: number;
	/** In turn order. */
	readonly #waiting = new Set<Burst<T>>();

	constructor(count: number) {
		this.#free = count;
	}

	/** Begins each item now or, with no slot free, in its turn. The caller gives the slot back. */
	take(items: readonly T[], begin: (item: T) => void): void {
		const some = items.slice(0, this.#free);
		this.#free -= some.length;
		for (const item of some) begin(item);
		if (some.length < items.length) this.#waiting.add({ items, next: some.length, begin });
	}

	give(): void {
		const [burst] = this.#waiting;
		if (!burst) {
			this.#free += 1;
			return;
		}
		const item = burst.items[burst.next];
		burst.next += 1;
		const isEmpty = burst.next === burst.items.length;
		if (isEmpty || this.#waiting.size > 1) this.#waiting.delete(burst);
		// Moves to the end of the round.
		if (!isEmpty) this.#waiting.add(burst);
		if (item !== undefined) burst.begin(item);
	}
}
