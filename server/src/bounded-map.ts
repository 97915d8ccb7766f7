/**
 * A map of at most `limit` entries: a further one replaces the oldest. For caches whose keys come
 * from outside, so that nobody can fill the memory with them.
 */
export class BoundedMap<K, V> extends Map<K, V> {
	readonly #limit: number;

	constructor(limit: number) {
		super();
		this.#limit = limit;
	}

	override set(key: K, value: V): this {
		if (!this.has(key) && this.size >= this.#limit) {
			const [oldest] = this.keys();
			this.delete(oldest as K);
		}
		return super.set(key, value);
	}

	/** The value under the key; at first, the result of `make`, which is kept. */
	getOr(key: K, make: () => V): V {
		const known = this.get(key);
		if (known !== undefined) return known;
		const made = make();
		this.set(key, made);
		return made;
	}
}
