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

/** Sets by key. A set that becomes empty is forgotten. */
export class Groups<T> extends Map<string, Set<T>> {
	/** @returns the group, with this as its last member unless it was one before */
	join(key: string, member: T): Set<T> {
		const group = this.get(key) ?? new Set<T>();
		this.set(key, group.add(member));
		return group;
	}

	leave(key: string, member: T): void {
		const group = this.get(key);
		if (group?.delete(member) && group.size === 0) this.delete(key);
	}

	/** The number of members of all groups. */
	get members(): number {
		let all = 0;
		for (const { size } of this.values()) all += size;
		return all;
	}
}
