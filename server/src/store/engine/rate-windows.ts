/** A limit that applies to a request: the key it counts by, and the number allowed in a window. */
export interface WindowLimit {
	key: string;
	quota: number;
}

/** A window without requests opens with the next one. */
export interface WindowState {
	used: number;
	openedAt: number;
}

export interface Consumption {
	allowed: boolean;
	/** In the order of the limits. */
	windows: WindowState[];
}

/** Fixed windows that open with the first counted request. */
export interface RateWindows {
	/** Counts one request against every limit or, if one of them is exhausted, against none. */
	consume(limits: readonly WindowLimit[], windowMs: number, now: number): Promise<Consumption>;
	/** The current counts, without adding to them. */
	peek(limits: readonly WindowLimit[], now: number): Promise<WindowState[]>;
}

/** Counts one request in the windows of its limits or, if one of them is exhausted, in none. */
export function countIn(windows: readonly WindowState[], limits: readonly WindowLimit[]) {
	const allowed = windows.every(({ used }, index) => used < (limits[index]?.quota ?? 0));
	if (allowed) for (const window of windows) window.used += 1;
	const states = windows.map(({ used, openedAt }) => ({ used, openedAt }));
	return { allowed, windows: states } satisfies Consumption;
}

interface Window extends WindowState {
	endsAt: number;
}

/** Number of windows above which expired ones are dropped. */
const SWEEP_ABOVE = 10_000;

/** Windows for the single process of an embedded store. */
export class RateWindowsInMemory implements RateWindows {
	readonly #windows = new Map<string, Window>();
	#sweepAt = SWEEP_ABOVE;

	consume(limits: readonly WindowLimit[], windowMs: number, now: number): Promise<Consumption> {
		const windows = this.#windowsOf(limits, windowMs, now);
		const consumption = countIn(windows, limits);
		if (consumption.allowed) {
			if (this.#windows.size >= this.#sweepAt) this.#sweep(now);
			for (const [index, window] of windows.entries())
				this.#windows.set(limits[index]?.key ?? '', window);
		}
		return Promise.resolve(consumption);
	}

	peek(limits: readonly WindowLimit[], now: number): Promise<WindowState[]> {
		return Promise.resolve(this.#windowsOf(limits, 0, now));
	}

	/** The open windows of the limits, and new ones for those without. */
	#windowsOf(limits: readonly WindowLimit[], windowMs: number, now: number): Window[] {
		return limits.map(({ key }) => {
			const window = this.#windows.get(key);
			// If the clock was set back by more than a window, nobody waits that long.
			const isOpen =
				window && now < window.endsAt && window.openedAt - now <= window.endsAt - window.openedAt;
			return isOpen ? window : { openedAt: now, endsAt: now + windowMs, used: 0 };
		});
	}

	#sweep(now: number): void {
		for (const [key, window] of this.#windows) {
			if (now >= window.endsAt) this.#windows.delete(key);
		}
		this.#sweepAt = Math.max(SWEEP_ABOVE, this.#windows.size * 2);
	}
}
