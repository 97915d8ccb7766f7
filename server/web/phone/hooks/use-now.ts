import { useSyncExternalStore } from 'react';

const SECOND = 1000;

const listeners = new Set<() => void>();
let timer: ReturnType<typeof setTimeout> | undefined;
let second = currentSecond();

function currentSecond(): number {
	return Math.floor(Date.now() / SECOND) * SECOND;
}

function tick(): void {
	second = currentSecond();
	listeners.forEach((listener) => listener());
	timer = setTimeout(tick, SECOND - (Date.now() % SECOND));
}

function subscribe(listener: () => void): () => void {
	if (listeners.size === 0) tick();
	listeners.add(listener);
	return () => {
		listeners.delete(listener);
		if (listeners.size === 0) clearTimeout(timer);
	};
}

/**
 * The time in milliseconds, rounded down to `step`. The whole page shares one timer that fires on the
 * full second, so all clocks tick together and only components that show a time render again.
 */
export function useNow(step: number = SECOND): number {
	return useSyncExternalStore(subscribe, () => Math.floor(second / step) * step);
}
