/** A limit that applies to a request: the key it counts by, and the number allowed in a window. */
export interface WindowLimit {
	key: string;
	quota: number;
}

/** undefined: no window is open. */
export type WindowState = { used: number; openedAt: number } | undefined;

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

interface Window {
	openedAt: number;
	endsAt: number;
	used: number;
}

/** Number of windows above which expired ones are dropped. */
const SWEEP_ABOVE = 10_000;

/** Windows for the single process of an embedded store. */
export class RateWindowsInMemory implements RateWindows {
	readonly #windows = new Map<string, Window>();
	#sweepAt = SWEEP_ABOVE;

	consume(limits: readonly WindowLimit[], windowMs: number, now: number): Promise<Consumption> {
		const open = limits.map((limit) => this.#windowOf(limit, now));
		const allowed = limits.every((limit, index) => (open[index]?.used ?? 0) < limit.quota);
		if (!allowed) return Promise.resolve({ allowed, windows: open.map(toState) });
		const windows = limits.map((limit, index) => {
			const window = open[index] ?? this.#open(limit, windowMs, now);
			window.used += 1;
			return toState(window);
		});
		return Promise.resolve({ allowed, windows });
	}

	peek(limits: readonly WindowLimit[], now: number): Promise<WindowState[]> {
		return Promise.resolve(limits.map((limit) => toState(this.#windowOf(limit, now))));
	}

	#windowOf({ key }: WindowLimit, now: number): Window | undefined {
		const window = this.#windows.get(key);
		if (!window || now >= window.endsAt) return undefined;
		// The clock was set back by more than a window: nobody waits that long.
		return window.openedAt - now > window.endsAt - window.openedAt ? undefined : window;
	}

	#open({ key }: WindowLimit, windowMs: number, now: number): Window {
		if (this.#windows.size >= this.#sweepAt) this.#sweep(now);
		const window = { openedAt: now, endsAt: now + windowMs, used: 0 };
		this.#windows.set(key, window);
		return window;
	}

	#sweep(now: number): void {
		for (const [key, window] of this.#windows) {
			if (now >= window.endsAt) this.#windows.delete(key);
		}
		this.#sweepAt = Math.max(SWEEP_ABOVE, this.#windows.size * 2);
	}
}

function toState(window: Window | undefined): WindowState {
	return window && { used: window.used, openedAt: window.openedAt };
}
