/**
 * The states of things that an engine is processing, by key; what it does not have is in no state. A step from an
 * unexpected state is a bug in the engine. It is reported, and the step is taken anyway: an exception instead would
 * lose answers or outcomes. Tests fail on every report.
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
