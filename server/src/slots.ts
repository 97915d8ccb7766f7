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

/**
 * Does the work for each item, for at most `count` of them at a time.
 * @throws the first error; the items that remain are still worked on by the others
 */
export async function forEachAtOnce<T>(
	count: number,
	items: readonly T[],
	work: (item: T) => Promise<unknown>,
): Promise<void> {
	const left = items.values();
	await Promise.all(
		Array.from({ length: count }, async () => {
			for (const item of left) await work(item);
		}),
	);
}
