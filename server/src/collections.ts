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
		const existing = this.get(key);
		if (existing !== undefined) return existing;
		const created = make();
		this.set(key, created);
		return created;
	}
}

/** Sets by key. A set that becomes empty is forgotten. */
export class Groups<T> extends Map<string, Set<T>> {
	/** Adds a member, unless it is one already. @returns the group */
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
		return [...this.values()].reduce((all, { size }) => all + size, 0);
	}
}

/**
 * The states of things that an engine is processing, by key; what it does not have is in no state. A step from an
 * unexpected state is a bug in the engine. It is reported, and the step is taken anyway: an exception instead would
 * lose responses or outcomes. Tests fail on every report.
 */
export class States<K, S extends string> {
	readonly #states = new Map<K, S>();
	readonly #what: string;
	readonly #report: (error: Error) => void;

	/** @param what the kind of thing, for reports */
	constructor(what: string, report: (error: Error) => void) {
		this.#what = what;
		this.#report = report;
	}

	get size(): number {
		return this.#states.size;
	}

	has(key: K): boolean {
		return this.#states.has(key);
	}

	/** @param from, to undefined: the engine does not have it */
	move(key: K, from: S | undefined, to: S | undefined): void {
		const state = this.#states.get(key);
		if (to === undefined) this.#states.delete(key);
		else this.#states.set(key, to);
		if (state === from) return;
		const name = typeof key === 'object' ? this.#what : `${this.#what} ${String(key)}`;
		this.#report(new Error(`${name} became ${to} from ${state} instead of ${from}`));
	}
}
