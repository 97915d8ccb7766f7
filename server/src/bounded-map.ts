/**
 * A map of at most `limit` entries: another one replaces the oldest. For caches whose keys come
 * from outside, so that they cannot fill the memory.
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

	/** The value of the key; initially the result of `make`, which is stored. */
	getOr(key: K, make: () => V): V {
		const known = this.get(key);
		if (known !== undefined) return known;
		const made = make();
		this.set(key, made);
		return made;
	}
}
