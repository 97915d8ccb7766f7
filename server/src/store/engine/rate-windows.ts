/** A limit that applies to a request: whom it counts, and how many are allowed in a window. */
export interface WindowLimit {
	key: string;
	quota: number;
}

/** undefined: none is open. */
export type WindowState = { used: number; openedAt: number } | undefined;

export interface Consumption {
	allowed: boolean;
	/** In the order of the limits. */
	windows: WindowState[];
}

/** Fixed windows that open with the first request that is counted in them. */
export interface RateWindows {
	/** Counts one request against every limit, or, when one of them is exhausted, against none. */
	consume(limits: readonly WindowLimit[], windowMs: number, now: number): Promise<Consumption>;
	/** What is counted now; nothing is added. */
	peek(limits: readonly WindowLimit[], now: number): Promise<WindowState[]>;
}

interface Window {
	openedAt: number;
	endsAt: number;
	used: number;
}

/** Windows kept before those that have passed are looked for and dropped. */
const SWEEP_ABOVE = 10_000;

/** The windows of the one process that has an embedded store. */
export class RateWindowsInMemory implements RateWindows {
	readonly #windows = new Map<string, Window>();
	#sweepAt = SWEEP_ABOVE;

	consume(limits: readonly WindowLimit[], windowMs: number, now: number): Promise<Consumption> {
		const open = limits.map((limit) => this.#windowOf(limit, now));
		const allowed = limits.every((limit, index) => (open[index]?.used ?? 0) < limit.quota);
		if (!allowed) return Promise.resolve({ allowed, windows: open.map(stateOf) });
		const windows = limits.map((limit, index) => {
			const window = open[index] ?? this.#open(limit, windowMs, now);
			window.used += 1;
			return stateOf(window);
		});
		return Promise.resolve({ allowed, windows });
	}

	peek(limits: readonly WindowLimit[], now: number): Promise<WindowState[]> {
		return Promise.resolve(limits.map((limit) => stateOf(this.#windowOf(limit, now))));
	}

	#windowOf({ key }: WindowLimit, now: number): Window | undefined {
		const window = this.#windows.get(key);
		if (!window || now >= window.endsAt) return undefined;
		// Opened in what is the future, since the clock was set back: nobody waits for that time.
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

function stateOf(window: Window | undefined): WindowState {
	return window && { used: window.used, openedAt: window.openedAt };
}
